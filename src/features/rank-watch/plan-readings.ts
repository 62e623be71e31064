import { type RoleCount, rolesPerPage } from '../../platforms/roblox/group-role-counts.js';
import { batchRequests, pages, planMembershipReads, USERS_PER_BATCH } from '../../platforms/roblox/membership-reads.js';

/** Calls per guild batch, unless reading all people together is cheaper: some 15 s of a key's share. */
const callsPerBatch = 50;
/** Maximum people in one turn, since their roles are kept in memory. */
export const peopleAtOnce = 20_000;

/** How to read a guild's due people: how many, and with how many calls. */
export interface BatchPlan {
  way: 'people' | 'pages';
  people: number;
  calls: number;
}

/**
 * The method with the fewest calls for each refreshed account: batches with 50 people and all their groups, or the
 * guild's groups page by page. `groups`: their sizes, null while unknown. Pure.
 */
export function planBatch(input: {
  due: number;
  groups: readonly { groupId: string; memberCount: number }[] | null;
  groupsPerUser: number;
}): BatchPlan {
  const { groupsPerUser, groups } = input;
  const due = Math.min(input.due, peopleAtOnce);
  const perBatch = pages(USERS_PER_BATCH * groupsPerUser);
  const people = Math.min(due, Math.max(1, Math.floor(callsPerBatch / perBatch)) * USERS_PER_BATCH);
  const inBatches: BatchPlan = { way: 'people', people, calls: batchRequests(people, groupsPerUser) };
  if (groups === null || groups.length === 0) return inBatches;
  const whole = planMembershipReads({ users: due, groups, groupsPerUser, openCloud: true });
  return whole.way === 'group_pages' ? { way: 'pages', people: due, calls: whole.requests } : inBatches;
}

/** Calls per poll of a group's counts. */
export const pollCalls = (roles: number): number => Math.max(1, Math.ceil(roles / rolesPerPage));

/**
 * Whether polling a group's counts takes fewer calls than reading its people as often. `groupsOfPeople`: how many
 * groups are watched for these people; reading a person covers all. Pure.
 */
export function isPollCheaper(input: {
  people: number;
  roles: number;
  groupsOfPeople: number;
  groupsPerUser: number;
}): boolean {
  const { people, roles, groupsOfPeople, groupsPerUser } = input;
  if (people === 0) return false;
  // In between they are still read in full, an eighth as often.
  return pollCalls(roles) < ((7 / 8) * batchRequests(people, groupsPerUser)) / Math.max(1, groupsOfPeople);
}

export interface PollPlan {
  read: RoleCount[];
  /** Roles that are gone; their former holders are read one by one. */
  gone: string[];
  /** Whether more people have joined the group than left it: known outsiders are to be read. */
  joined: boolean;
  /** The role with the largest count if more have left than joined: its holders are to be read. */
  leftFrom: string | null;
  /** Whether reading everybody in the group is cheaper. */
  everybody: boolean;
}

/**
 * Compares a group's role counts. A person that moves between two roles changes both, so the largest role need not be
 * read. People came or went only if the sum has changed. `swept`: read the other roles in any case, since swaps leave
 * all counts unchanged. Pure.
 */
export function planPoll(
  before: readonly RoleCount[],
  now: readonly RoleCount[],
  input: { swept: readonly string[]; people: number; groupsPerUser: number },
): PollPlan {
  const known = new Map(before.map(({ gameRoleId, members }) => [gameRoleId, members]));
  const largest = [...now].sort((a, b) => b.members - a.members)[0]?.gameRoleId ?? null;
  const others = now.filter(({ gameRoleId }) => gameRoleId !== largest);
  const read = others.filter(
    ({ gameRoleId, members }) => known.get(gameRoleId) !== members || input.swept.includes(gameRoleId),
  );
  const there = new Set(now.map(({ gameRoleId }) => gameRoleId));
  const gone = before.flatMap(({ gameRoleId }) => (there.has(gameRoleId) ? [] : gameRoleId));
  const grown = before.length === 0 ? 0 : total(now) - total(before);
  const calls = read.reduce((sum, { members }) => sum + pages(members), 0);
  return {
    read,
    gone,
    joined: grown > 0,
    leftFrom: grown < 0 ? largest : null,
    everybody: calls > batchRequests(input.people, input.groupsPerUser),
  };
}

const total = (roles: readonly RoleCount[]): number => roles.reduce((sum, { members }) => sum + members, 0);
