import PQueue from 'p-queue';
import { Batcher, crowdQuietMs } from '../../lib/batcher.js';
import { inPieces } from '../../lib/in-pieces.js';
import { logger } from '../../lib/logger.js';
import { minuteMs } from '../../lib/time.js';
import { type GameGroup, readGameGroup } from './game-groups.js';
import { type GroupRoles, type HeldRoles, nameRoles } from './held-roles.js';
import { type MembershipReadsInput, planMembershipReads, USERS_PER_BATCH } from './membership-reads.js';
import { groupsPerUserSeen, readMembershipsOfGroup, readMembershipsOfUsers } from './open-cloud-memberships.js';
import { readPublicMemberships } from './public-memberships.js';
import { ReadThroughCache } from './read-through-cache.js';
import { perConfiguration, robloxConfig } from './roblox-config.js';
import { type Patience, unhurried, yieldsToOthers } from './roblox-http.js';
import { RolesOfPeople } from './roles-of-people.js';

export type { GroupRoles } from './held-roles.js';

const CACHE_MS = minuteMs;
/** Roblox publishes no rate limits for its older hosts. */
const PUBLIC_READS_AT_ONCE = 4;
/**
 * Answers list more groups than requested; the surplus is held for this many people at a time. A multiple of the 50 per
 * filter.
 */
const PEOPLE_AT_ONCE = 500;
/** Roles for people in no such group. */
const NOTHING: HeldRoles = new Map();

const recentMemberships = perConfiguration(
  () => new ReadThroughCache<HeldRoles, Reading>({ max: 10_000, ttlMs: CACHE_MS }, readAllOf),
);

interface Reading {
  inCrowd: boolean;
}

/**
 * One person's roles in these groups, up to a minute old unless `fresh`. With Open Cloud, roles' ranks and names may be
 * five minutes old. `inCrowd` waits a moment for people who join at the same time. A deleted group counts as one
 * without the person. `null` if Roblox doesn't know the account, which Open Cloud never reports. Throws
 * GamePlatformUnavailable on any doubt: an empty answer always comes from Roblox itself (SYNC-2).
 */
export async function readMemberships(
  gameUserId: string,
  groupIds: readonly string[],
  { fresh = false, inCrowd = false }: { fresh?: boolean; inCrowd?: boolean } = {},
): Promise<GroupRoles | null> {
  if (groupIds.length === 0) return new Map();
  const held = await recentMemberships().read(gameUserId, { fresh, yields: yieldsToOthers(), how: { inCrowd } });
  if (held === null) return null;
  const named = await nameRoles(new Map([[gameUserId, held]]), groupIds);
  return named.get(gameUserId) ?? new Map();
}

/** The read time for the roles that `readMemberships` would return now; null if it would ask Roblox. */
export const membershipsReadAt = (gameUserId: string): Date | null => recentMemberships().readAt(gameUserId);

/** Keeps a person's roles in all groups as Roblox answered them at this time, for the next readers. */
export const keepMemberships = (gameUserId: string, held: HeldRoles, readAt: Date): void =>
  recentMemberships().keep(gameUserId, held, readAt);

/**
 * Many people's roles in these groups, read without cache in the fewest requests (RESYNC-14). Pass all people in one
 * call, since paging a group costs the same for one person as for all. Waits for rate limits. A person unknown to
 * Roblox may be missing in the answer. Throws GamePlatformUnavailable if any part could not be read, and `signal`'s
 * reason if aborted.
 */
export async function readMembershipsOfMany(
  gameUserIds: readonly string[],
  groupIds: readonly string[],
  options: { signal?: AbortSignal } = {},
): Promise<Map<string, GroupRoles>> {
  const people = [...new Set(gameUserIds)];
  const held = new RolesOfPeople([...new Set(groupIds)]);
  if (people.length > 0 && groupIds.length > 0) await readCheapest(people, held, unhurried(options.signal));
  else for (const id of people) held.set(id, NOTHING);
  return nameRoles(held, groupIds);
}

async function readCheapest(people: readonly string[], held: RolesOfPeople, patience: Patience): Promise<void> {
  const { groupIds } = held;
  const planFor = (groups: MembershipReadsInput['groups']) =>
    planMembershipReads({
      users: people.length,
      groups,
      openCloud: Boolean(robloxConfig().apiKey),
      groupsPerUser: groupsPerUserSeen(),
    });
  let groups: GameGroup[] = [];
  // The groups' size matters only if paging could win at all.
  let plan = planFor(groupIds.map((groupId) => ({ groupId, memberCount: 0 })));
  if (plan.way === 'group_pages') {
    groups = await readExistingGroups(groupIds);
    plan = planFor(groups);
  }
  logger.debug({ people: people.length, groups: groupIds.length, ...plan }, 'reading memberships');
  if (plan.way === 'group_pages') await readByGroupPages(people, groups, held, patience);
  else if (plan.way === 'user_batches') await readByUserBatches(people, held, patience);
  else await readOneByOne(people, held, patience);
}

/** Maximum parallel reads for individual people; further requests join the next read. */
const READS_AT_ONCE = 2;

const membershipsTogether = (limits: { atOnce: number; quietMs?: number }) =>
  new Batcher<string, HeldRoles | null>(
    async (gameUserIds) => {
      const found = await readMembershipsOfUsers([...new Set(gameUserIds)]);
      return gameUserIds.map((id) => found.get(id) ?? null);
    },
    { most: USERS_PER_BATCH, ...limits },
  );

const membershipsOfSome = perConfiguration(() => membershipsTogether({ atOnce: READS_AT_ONCE }));
/** Reads that yield wait for the next window, so nobody else may wait with them (ROBLOX-25). */
const membershipsOfYielding = perConfiguration(() => membershipsTogether({ atOnce: READS_AT_ONCE }));
/** A crowd's joins arrive one by one, since each has asked the database before. They wait for Discord anyway. */
const membershipsOfCrowd = perConfiguration(() =>
  membershipsTogether({ atOnce: READS_AT_ONCE, quietMs: crowdQuietMs }),
);

async function readAllOf(gameUserId: string, { inCrowd } = { inCrowd: false }): Promise<HeldRoles | null> {
  if (!robloxConfig().apiKey) return readPublicMemberships(gameUserId);
  if (inCrowd) return membershipsOfCrowd().add(gameUserId);
  return (yieldsToOthers() ? membershipsOfYielding() : membershipsOfSome()).add(gameUserId);
}

/** Fresh, since the member counts show whether a group's pages were complete. */
async function readExistingGroups(groupIds: readonly string[]): Promise<GameGroup[]> {
  const groups = await gently(groupIds.map((id) => () => readGameGroup(id, { fresh: true })));
  return groups.filter((group) => group !== null);
}

/**
 * Pages through all groups. If fewer members were listed than the group has, a person left in the meantime or a page
 * was short. Then the unlisted people are read one by one before they count as outside.
 */
async function readByGroupPages(
  people: readonly string[],
  groups: readonly GameGroup[],
  held: RolesOfPeople,
  patience: Patience,
): Promise<void> {
  for (const id of people) held.set(id, NOTHING);
  const doubtful = new Set<string>();
  for (const { groupId, memberCount } of groups) {
    const listed = await readMembershipsOfGroup(groupId, held, patience);
    if (listed >= memberCount) continue;
    for (const [id, roles] of held) if (!roles.has(groupId)) doubtful.add(id);
  }
  await readByUserBatches([...doubtful], held, patience);
}

async function readByUserBatches(people: readonly string[], held: RolesOfPeople, patience: Patience): Promise<void> {
  for (const some of inPieces(people, PEOPLE_AT_ONCE)) {
    const found = await readMembershipsOfUsers(some, patience);
    for (const [id, roles] of found) held.set(id, roles);
  }
}

async function readOneByOne(people: readonly string[], held: RolesOfPeople, patience: Patience): Promise<void> {
  for (const some of inPieces(people, PEOPLE_AT_ONCE)) {
    const reads = some.map((id) => async () => {
      const roles = await readPublicMemberships(id, patience);
      if (roles) held.set(id, roles);
    });
    await gently(reads);
  }
}

/** Reads from the older hosts, a few at a time. After a failure no further read starts. */
async function gently<T>(reads: readonly (() => Promise<T>)[]): Promise<T[]> {
  const queue = new PQueue({ concurrency: PUBLIC_READS_AT_ONCE });
  try {
    return await queue.addAll(reads);
  } finally {
    queue.clear();
  }
}
