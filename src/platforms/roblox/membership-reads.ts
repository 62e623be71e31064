/** `groups/-/memberships` names at most 50 users in its filter (Roblox cloud/reference/patterns). */
export const USERS_PER_BATCH = 50;
/** The largest page in an Open Cloud membership list (Roblox's OpenAPI). */
export const MEMBERSHIPS_PER_PAGE = 100;

/** The task: the roles that `users` people have in `groups`. */
export interface MembershipReadsInput {
  users: number;
  groups: readonly { groupId: string; memberCount: number }[];
  /** Whether there is an Open Cloud key; every way except `per_user` needs one. */
  openCloud: boolean;
  /** Average groups per person, wanted or not: an answer about a person lists all. */
  groupsPerUser: number;
}

/**
 * A way to read memberships, with its estimated request count. `user_batches`: 50 people per filter, all their groups,
 * in pages. `group_pages`: every member of every group, in pages. `per_user`: the public endpoint, one person per
 * request, never in pages.
 */
export interface MembershipReadsPlan {
  way: 'user_batches' | 'group_pages' | 'per_user';
  requests: number;
}

/**
 * The way with the fewest requests (RESYNC-14). Mixing ways never saves any: an answer about a person covers all
 * groups. Paging some groups pays only if no person has to be read individually. In a tie Open Cloud wins, since only
 * it shows all roles of a member and publishes its limits.
 */
export function planMembershipReads(input: MembershipReadsInput): MembershipReadsPlan {
  const perUser: MembershipReadsPlan = { way: 'per_user', requests: input.users };
  if (!input.openCloud) return perUser;
  const ways: MembershipReadsPlan[] = [
    { way: 'user_batches', requests: batchRequests(input.users, input.groupsPerUser) },
    { way: 'group_pages', requests: input.groups.reduce((sum, group) => sum + pages(group.memberCount), 0) },
    perUser,
  ];
  return ways.reduce((best, way) => (way.requests < best.requests ? way : best));
}

/** Request count for these people's memberships: 50 per filter, all pages. */
export function batchRequests(users: number, groupsPerUser: number): number {
  const fullBatches = Math.floor(users / USERS_PER_BATCH);
  const rest = users % USERS_PER_BATCH;
  return fullBatches * pages(USERS_PER_BATCH * groupsPerUser) + (rest > 0 ? pages(rest * groupsPerUser) : 0);
}

/** Request count for a list with this many memberships; even an empty one takes one. */
export function pages(memberships: number): number {
  return Math.max(1, Math.ceil(memberships / MEMBERSHIPS_PER_PAGE));
}
