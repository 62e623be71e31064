import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { listMembersOfRole, type RoleCount } from '../../platforms/roblox/group-role-counts.js';
import type { Membership } from '../../platforms/roblox/open-cloud-memberships.js';
import { incompleteAnswer, type Patience } from '../../platforms/roblox/roblox-http.js';
import { roleIn } from '../members/held-ranks.js';
import { accountsSyncedAs } from '../members/linked-accounts.js';
import type { Readings } from './account-reading.js';
import { makeDueNow, scheduleBatchesFor } from './due-people.js';
import type { RankInterests } from './rank-interests.js';
import { notePage } from './seen-ranks.js';
import { makeUrgent } from './watched-links.js';
import { type WatchedAccount, WatchedAccounts } from './watched-models.js';

const membersAtOnce = 500;
/** The share of its count that a role's member list must reach to be believed. Members come and go during a reading. */
const believedShare = 0.9;

export interface WantedReadings {
  /** The roles whose members are read now, unless all people are. */
  read: readonly RoleCount[];
  /** Former roles, or the whole group: their holders are read one by one, soon. */
  soon: readonly (string | object)[];
  /** Whether reading everybody in the group is cheaper than reading the roles. */
  everybody: boolean;
}

interface ReadingContext {
  interests: RankInterests;
  members: Patience;
  /** Waits before a sync is enqueued, since that makes calls too. */
  paced: () => Promise<void>;
  /** Milliseconds between two count polls. */
  everyMs: number;
}

/**
 * Reads the members of roles now, and makes people due that these roles can't cover. Throws GamePlatformUnavailable.
 */
export async function readWanted(groupId: string, wanted: WantedReadings, context: ReadingContext): Promise<void> {
  const roles = wanted.everybody ? [] : wanted.read;
  for (const role of roles) await readRole(groupId, role, context);
  for (const held of wanted.soon) await makeDueNow(held, context.everyMs);
  if (wanted.soon.length > 0) await scheduleBatchesFor(groupId, context.interests);
}

/**
 * Reads a role's holders. Makes people urgent that held it before, or were synced as its holders, and are not among
 * them.
 */
async function readRole(groupId: string, role: RoleCount, { members, paced }: ReadingContext): Promise<void> {
  const holders = new Set<string>();
  let listed = 0;
  const beganAt = clock.now();
  let readAt = beganAt;
  let page: Readings = new Map();
  const note = async () => {
    for (const id of await notePage(groupId, page, { readAt, paced })) holders.add(id);
    listed += page.size;
    page = new Map();
    readAt = clock.now();
  };
  for await (const member of listMembersOfRole(groupId, role.gameRoleId, members)) {
    page.set(member.gameUserId, ranksIn(groupId, member));
    if (page.size >= membersAtOnce) await note();
  }
  await note();
  if (listed < role.members * believedShare) throw incompleteAnswer('a role listed fewer members than it has');
  await makeUrgent(await accountsAmong(await formerHolders(roleIn(groupId, role.gameRoleId), holders, beganAt)));
}

/**
 * The accounts that held a role when last seen, or were synced as its holders by an earlier reading, and no longer hold
 * it.
 */
async function formerHolders(held: string, holders: ReadonlySet<string>, readBefore: Date): Promise<Set<string>> {
  const former = new Set<string>();
  for await (const { _id } of WatchedAccounts.find({ held }, { _id: 1 }).lean<WatchedAccount>().cursor())
    if (!holders.has(_id)) former.add(_id);
  for (const gameUserId of await accountsSyncedAs(held, readBefore))
    if (!holders.has(gameUserId)) former.add(gameUserId);
  return former;
}

function accountsAmong(gameUserIds: ReadonlySet<string>): Promise<WatchedAccount[]> {
  if (gameUserIds.size === 0) return Promise.resolve([]);
  return WatchedAccounts.find({ _id: trusted({ $in: [...gameUserIds] }) }, { guildId: 1 }).lean<WatchedAccount[]>();
}

function ranksIn(groupId: string, member: Membership) {
  if (member.groupId !== groupId) throw incompleteAnswer('answered a group not asked for');
  return new Map([[groupId, member.roleIds]]);
}
