import { trusted } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { listMembersOfRole, type RoleCount, readRoleCounts } from '../../platforms/roblox/group-role-counts.js';
import { groupsPerUserSeen, type Membership } from '../../platforms/roblox/open-cloud-memberships.js';
import { incompleteAnswer, type Patience } from '../../platforms/roblox/roblox-http.js';
import { aboutGroup, outsideOf, roleIn } from '../members/held-ranks.js';
import { accountsSyncedAs } from '../members/linked-accounts.js';
import type { Readings } from './account-reading.js';
import { lookAtLog } from './group-log-look.js';
import { giveTurnsFor, hasten } from './hastened-people.js';
import { type GlancePlan, isGlanceCheaper, planGlance } from './plan-readings.js';
import type { RankInterests } from './rank-interests.js';
import { logEveryMs, lookEveryMs, rankTargetMs, sweepEveryTargets } from './rank-target.js';
import { notePage } from './seen-ranks.js';
import { makeUrgent } from './watched-links.js';
import { type WatchedAccount, WatchedAccounts, type WatchedGroup, WatchedGroups } from './watched-models.js';

/** A poll that a crash interrupted is repeated after this time. */
const claimMs = 2 * minuteMs;
/** When to look again at a log for which no call was left. */
const noCallLeftMs = secondMs;
/** A larger count wouldn't change the decision. */
const peopleCounted = 2_000;
const membersAtOnce = 500;
/** Members come and go while a role is read; a list that is shorter than this share of its count is not believed. */
const believedShare = 0.9;

/** The context of a poll of a group. */
export interface GlanceContext {
  interests: RankInterests;
  /** Of the calls for roles, of those for memberships, and of those for logs; null while these are used up. */
  counts: Patience;
  members: Patience;
  logs: Patience | null;
  /** Milliseconds for one poll of the logs of all groups. */
  logRoundMs: number;
  /** Waits before a sync is enqueued, since that makes calls too. */
  paced: () => Promise<void>;
}

/** Claims the group with the longest overdue poll, for two minutes; null if none is due. */
export function takeDueGroup(now: Date): Promise<WatchedGroup | null> {
  return WatchedGroups.findOneAndUpdate(
    { dueAt: trusted({ $lte: now }) },
    { $set: { dueAt: new Date(now.getTime() + claimMs) } },
    { sort: { dueAt: 1 }, returnDocument: 'before' },
  )
    .lean<WatchedGroup | null>()
    .exec();
}

/**
 * Polls a group's own log. If the log is silent, polls the counts of its roles, where that is cheaper than reading the
 * people. Then reads everyone affected. Throws GamePlatformUnavailable, with nothing noted, so that the same
 * differences are found again.
 */
export async function glanceAt(group: WatchedGroup, context: GlanceContext): Promise<void> {
  const { _id: groupId, roles: before } = group;
  const seenAt = clock.now();
  const targetMs = targetOf(groupId, context.interests);
  const [everyMs, logMs] = [lookEveryMs(targetMs), logEveryMs(targetMs, context.logRoundMs)];
  // The log is polled between two polls of the counts. While no call is left for it, the counts are not due yet.
  const countsAt = (group.seenAt?.getTime() ?? 0) + everyMs;
  if (context.logs === null && group.logUpTo !== undefined && countsAt > seenAt.getTime()) {
    const dueAt = new Date(Math.min(countsAt, seenAt.getTime() + noCallLeftMs));
    await WatchedGroups.updateOne({ _id: groupId }, { $set: { dueAt } });
    return;
  }
  const people = await countPeople(groupId, context.interests);
  const counted = areCountsCheaper(group, people, context.interests);
  // The log is no help where nobody is linked, or people are read as often anyway.
  const isTold = (counted || (people > 0 && logMs < everyMs)) && (await lookAtLog(group, { ...context, everyMs }));
  const dueAt = new Date(seenAt.getTime() + (isTold ? logMs : everyMs));
  if (!counted) {
    const seen = { counted, dueAt, ...(isTold && { seenAt }) };
    await WatchedGroups.updateOne({ _id: groupId }, { $set: seen, ...(!isTold && { $unset: { seenAt: 1 } }) });
    return;
  }
  const sweepBefore = seenAt.getTime() - targetMs * sweepEveryTargets;
  const look = { seenAt, sweepBefore, people, everyMs };
  const roles = isTold && !isSweepDue(before, sweepBefore) ? before : await readRoles(group, look, context);
  await WatchedGroups.updateOne({ _id: groupId }, { $set: { counted, roles, seenAt, dueAt } });
}

/** How many linked people a group matters to, at most `peopleCounted`. */
function countPeople(groupId: string, { guildsByGroup }: RankInterests): Promise<number> {
  const among = { guildIds: trusted({ $in: [...(guildsByGroup.get(groupId) ?? [])] }) };
  return WatchedAccounts.countDocuments(among, { limit: peopleCounted }).hint({ guildIds: 1, seenAt: 1 }).exec();
}

function areCountsCheaper({ _id: groupId, roles }: WatchedGroup, people: number, interests: RankInterests): boolean {
  const groupsOfPeople = fewestGroups(groupId, interests);
  return isGlanceCheaper({ people, roles: roles.length, groupsOfPeople, groupsPerUser: groupsPerUserSeen() });
}

interface RolesLook {
  seenAt: Date;
  /** Roles last read before this (milliseconds since 1970) are read whatever their counts are. */
  sweepBefore: number;
  /** How many linked people the group matters to. */
  people: number;
  everyMs: number;
}

/**
 * Compares the counts of a group's roles with the previous ones, and reads the roles that changed. @returns the current
 * roles.
 */
async function readRoles(
  { _id: groupId, roles: before }: WatchedGroup,
  { seenAt, sweepBefore, people, everyMs }: RolesLook,
  context: GlanceContext,
): Promise<WatchedGroup['roles']> {
  const now = await readRoleCounts(groupId, context.counts);
  const readAt = new Map(before.map((role) => [role.gameRoleId, role.readAt]));
  const swept = now.flatMap(({ gameRoleId: id }) => ((readAt.get(id)?.getTime() ?? 0) <= sweepBefore ? id : []));
  const plan = planGlance(before, now, { swept, people, groupsPerUser: groupsPerUserSeen() });
  const readOnes = plan.everybody ? [] : plan.read;
  for (const role of readOnes) await readRole(groupId, role, context);
  await hastenPeople(groupId, plan, everyMs, context.interests);
  const isRead = new Set(plan.read.map(({ gameRoleId }) => gameRoleId));
  return now.map((role) => {
    const at = isRead.has(role.gameRoleId) ? seenAt : readAt.get(role.gameRoleId);
    return { ...role, ...(at !== undefined && { readAt: at }) };
  });
}

/** Whether all roles but the largest are due to be read again, whatever the log reports. */
function isSweepDue(roles: WatchedGroup['roles'], sweepBefore: number): boolean {
  const largest = Math.max(...roles.map(({ members }) => members));
  const others = roles.filter(({ members }) => members < largest);
  return roles.length === 0 || others.some(({ readAt }) => (readAt?.getTime() ?? 0) <= sweepBefore);
}

/** Schedules early readings for people that the roles read leave uncertain. */
async function hastenPeople(
  groupId: string,
  plan: GlancePlan,
  everyMs: number,
  interests: RankInterests,
): Promise<void> {
  const pulled = [
    ...plan.gone.map((gameRoleId) => roleIn(groupId, gameRoleId)),
    ...(plan.joined ? [outsideOf(groupId)] : []),
    ...(plan.leftFrom === null ? [] : [roleIn(groupId, plan.leftFrom)]),
  ];
  const wanted = plan.everybody ? [aboutGroup(groupId)] : pulled;
  for (const held of wanted) await hasten(held, everyMs);
  if (wanted.length > 0) await giveTurnsFor(groupId, interests);
}

/** The shortest target among the guilds that name a group, in milliseconds. */
function targetOf(groupId: string, { guildsByGroup, plans }: RankInterests): number {
  const targets = (guildsByGroup.get(groupId) ?? []).map((guildId) => rankTargetMs(plans.get(guildId) ?? 'free'));
  return Math.min(rankTargetMs('free'), ...targets);
}

function fewestGroups(groupId: string, { guildsByGroup, groupsByGuild }: RankInterests): number {
  const numbers = (guildsByGroup.get(groupId) ?? []).map((guildId) => groupsByGuild.get(guildId)?.length ?? 1);
  return Math.min(...numbers, Number.MAX_SAFE_INTEGER);
}

/**
 * Reads the holders of a role. Anyone that held it, or was synced as its holder, and is no longer among them becomes
 * urgent.
 */
async function readRole(groupId: string, role: RoleCount, context: GlanceContext): Promise<void> {
  const holders = new Set<string>();
  let listed = 0;
  const beganAt = clock.now();
  let readAt = beganAt;
  let page: Readings = new Map();
  const note = async () => {
    for (const id of await notePage(groupId, page, { readAt, paced: context.paced })) holders.add(id);
    listed += page.size;
    page = new Map();
    readAt = clock.now();
  };
  for await (const member of listMembersOfRole(groupId, role.gameRoleId, context.members)) {
    page.set(member.gameUserId, ranksIn(groupId, member));
    if (page.size >= membersAtOnce) await note();
  }
  await note();
  if (listed < role.members * believedShare) throw incompleteAnswer('a role listed fewer members than it has');
  await makeUrgent(await accountsAmong(await formerHolders(roleIn(groupId, role.gameRoleId), holders, beganAt)));
}

/** Accounts that held a role when last seen or synced before this reading, and are no longer among its holders. */
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

/** Until a group can be looked at again, its people are read as often as if it were not. */
export async function noteFailedGlance({ _id }: Pick<WatchedGroup, '_id'>): Promise<void> {
  await WatchedGroups.updateOne({ _id }, { $set: { counted: false } });
}
