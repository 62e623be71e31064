import { logger } from '../../lib/logger.js';
import type { HeldRoles } from '../../platforms/roblox/held-roles.js';
import { USERS_PER_BATCH } from '../../platforms/roblox/membership-reads.js';
import { readMembershipsOfGroup, readMembershipsOfUsers } from '../../platforms/roblox/open-cloud-memberships.js';
import { readPublicMemberships } from '../../platforms/roblox/public-memberships.js';
import type { Patience } from '../../platforms/roblox/roblox-http.js';
import { RolesOfPeople } from '../../platforms/roblox/roles-of-people.js';
import { isAnywhere } from '../members/held-ranks.js';
import { hasKey } from './rank-target.js';
import type { WatchedAccount } from './watched-models.js';

export type HeldBefore = Pick<WatchedAccount, '_id' | 'held'>;
/** Roblox's answer for each person; a person without a credible answer is missing. */
export type Readings = Map<string, HeldRoles>;

/** If more people than this seem to have left a group together, an empty answer is not believed. */
const believedToLeaveAtOnce = 5;

/**
 * Reads all groups of these people, 50 a call, or one by one from the older host where there is no key. Throws
 * GamePlatformUnavailable.
 */
export async function readPeople(accounts: readonly HeldBefore[], patience: Patience): Promise<Readings> {
  const readings: Readings = new Map();
  if (!hasKey()) {
    for (const { _id } of accounts) {
      const ranks = await readPublicMemberships(_id, patience);
      if (ranks !== null) readings.set(_id, ranks);
    }
    return readings;
  }
  for (let start = 0; start < accounts.length; start += USERS_PER_BATCH) {
    const batch = accounts.slice(start, start + USERS_PER_BATCH);
    const found = await readMembershipsOfUsers(
      batch.map(({ _id }) => _id),
      patience,
    );
    if (isIncredible(batch, found)) logger.warn({ people: batch.length }, 'Roblox returned no memberships at all');
    else for (const [id, ranks] of found) readings.set(id, ranks);
  }
  return readings;
}

/**
 * Reads every page of these groups, for people that need no other group. Reads people again that a page seems to have
 * left out. Throws GamePlatformUnavailable.
 */
export async function readPages(
  accounts: readonly HeldBefore[],
  groupIds: readonly string[],
  patience: Patience,
): Promise<Readings> {
  const readings = new RolesOfPeople(groupIds);
  if (accounts.length === 0) return readings;
  const nothing: HeldRoles = new Map();
  for (const { _id } of accounts) readings.set(_id, nothing);
  for (const groupId of groupIds) await readMembershipsOfGroup(groupId, readings, patience);
  const vanished = accounts.filter(({ _id, held }) => groupIds.some((id) => isGone(id, held, readings.get(_id))));
  for (const { _id } of vanished) readings.delete(_id);
  for (const [id, ranks] of await readPeople(vanished, patience)) readings.set(id, ranks);
  return readings;
}

function isIncredible(batch: readonly HeldBefore[], found: ReadonlyMap<string, HeldRoles>): boolean {
  if ([...found.values()].some((ranks) => ranks.size > 0)) return false;
  return batch.filter(({ held }) => isAnywhere(held)).length > believedToLeaveAtOnce;
}

function isGone(groupId: string, held: readonly string[], now: HeldRoles | undefined): boolean {
  return !now?.has(groupId) && held.some((text) => text.startsWith(`${groupId}:`) && !text.endsWith(':-'));
}
