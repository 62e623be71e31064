import { Types } from 'mongoose';
import { type Teammate, Teammates } from '../../src/core/access/teammate-model.js';
import { type AuditEntry, AuditLog } from '../../src/core/audit/audit-model.js';
import { type LinkedGroup, LinkedGroups } from '../../src/core/groups/group-model.js';
import { type Guild, GuildRecord } from '../../src/core/guilds/guild-model.js';
import { type Mapping, Mappings } from '../../src/features/mappings/mapping-model.js';
import { type Member, Members, searchNames } from '../../src/features/members/member-model.js';
import { type RankChange, RankChanges } from '../../src/features/ranking/rank-change-model.js';
import type { ObservedChange } from '../../src/features/sync/plan/observed-changes.js';
import { Plans, type StoredPlan } from '../../src/features/sync/plan/plan-model.js';
import { PlannedChanges } from '../../src/features/sync/plan/planned-change-model.js';
import { type BotToken, BotTokens } from '../../src/features/tokens/token-model.js';
import { Deliveries, type Delivery } from '../../src/features/webhooks/delivery-model.js';
import { newDelivery } from '../../src/features/webhooks/delivery-store.js';
import { type WebhookEndpoint, WebhookEndpoints } from '../../src/features/webhooks/endpoint-model.js';
import { newId } from '../../src/lib/ids.js';
import { eventName } from '../../src/platforms/events/event-types.js';
import { newEvent } from '../../src/platforms/events/outbox.js';
import { buildGuild, type TestGuild } from './build.js';
import { observedChange } from './differences.js';

/** Documents a write. */
const batchSize = 2_000;

/** Groups and mappings: far above the largest plan's limits. A filtered mapping page reads all of both. */
const mostSetUp = 5_000;

export interface LargeGuild extends TestGuild {
  /** The endpoint that has the deliveries. */
  webhookId: string;
}

interface Collection {
  collection: { insertMany(documents: never[]): Promise<unknown> };
}

async function fill<T>({ collection }: Collection, count: number, make: (index: number) => T): Promise<void> {
  for (let from = 0; from < count; from += batchSize) {
    const size = Math.min(batchSize, count - from);
    await collection.insertMany(Array.from({ length: size }, (_, index) => make(from + index)) as never[]);
  }
}

const snowflakeOf = (index: number): string => String(200_000_000_000_000_000n + BigInt(index));
/** The owner of the guilds that only add to the number. */
const otherOwner = '1';
const begin = 1_700_000_000_000;
const momentOf = (index: number): Date => new Date(begin + index * 1_000);

/**
 * A guild on the plan enterprise with `count` documents behind every list in the API, and as many other guilds. Groups
 * and mappings are limited to 5,000. Members have every state and half share names; entries are from today; deliveries
 * have every state and event.
 */
export async function fillLists(count: number): Promise<LargeGuild> {
  const guild = await buildGuild();
  const { guildId, ownerId } = guild;
  // Its members are not on Discord: a reconciliation would mark them as gone.
  await GuildRecord.updateOne(
    { _id: guildId },
    { $set: { caughtUpAt: new Date() }, $unset: { catchUpSince: 1, catchUpAt: 1 } },
  );
  const webhookId = newId('whk', momentOf(0));
  await fill(Members.acrossGuilds, count, (index) => member(guildId, index));
  await fill(PlannedChanges.acrossGuilds, count / 2, (index) => difference(guildId, 2 * index));
  await fill(AuditLog.acrossGuilds, count, (index) => entry(guildId, index));
  await fill(Deliveries.acrossGuilds, count, (index) => delivery(guildId, webhookId, index));
  await fill(GuildRecord, count, otherGuild);
  await fill(Teammates.acrossGuilds, count, (index) => teammate(guildId, ownerId, index));
  await fill(BotTokens.acrossGuilds, count, (index) => token(guildId, index));
  await fill(WebhookEndpoints.acrossGuilds, count, (index) => endpoint(guildId, index === 0 ? webhookId : null, index));
  await fill(LinkedGroups.acrossGuilds, Math.min(count, mostSetUp), (index) => group(guildId, index));
  await fill(Mappings.acrossGuilds, Math.min(count, mostSetUp), (index) => mapping(guildId, index));
  await fill(RankChanges.acrossGuilds, count, (index) => rankChange(guildId, index));
  await fill(Plans.acrossGuilds, count, (index) => finishedResync(guildId, new Date(Date.now() - 86_400_000 + index)));
  return { ...guild, webhookId };
}

/** Removes `fillLists`' data, since standing jobs would process it during this process's later files. */
export async function emptyLists({ guildId }: LargeGuild): Promise<void> {
  const ofGuild = [
    Members,
    AuditLog,
    Deliveries,
    Teammates,
    BotTokens,
    WebhookEndpoints,
    LinkedGroups,
    Mappings,
    Plans,
    PlannedChanges,
    RankChanges,
  ];
  await Promise.all([
    ...ofGuild.map(({ acrossGuilds }) => acrossGuilds.collection.deleteMany({ guildId })),
    GuildRecord.collection.deleteMany({ ownerId: otherOwner }),
  ]);
}

function member(guildId: string, index: number): Member {
  const [chatUsername, gameUsername] = [`person${index}`, `Player${index % 10_000}`];
  const game = { gameUserId: String(index + 1), gameUsername, gameDisplayName: gameUsername };
  const isLinked = index % 10 < 7;
  return {
    _id: new Types.ObjectId(),
    guildId,
    chatUserId: snowflakeOf(index),
    chatUsername,
    state: isLinked ? 'linked' : index % 10 < 9 ? 'unlinked' : 'joined',
    present: index % 7 > 0,
    autoLinkBlocked: false,
    names: isLinked ? searchNames(chatUsername, gameUsername) : searchNames(chatUsername),
    syncs: [],
    ...(isLinked && { ...game, linkedAt: new Date(begin + (index % 9_000)) }),
    ...(isLinked && syncedAs(index)),
    // For every second, one of three.
    ...(differs(index) && { differs: true as const }),
  };
}

/** What the last sync left: one of three roles, one rare role, and a rank that is common or rare. */
function syncedAs(index: number): Pick<Member, 'left' | 'wentBy'> {
  const isRare = index % 100 === 0;
  const roleId = `10000000000000000${isRare ? 9 : index % 3}`;
  const held = [`15:${isRare ? 1 : 100}`];
  return {
    left: { roleIds: [roleId], nickname: null },
    wentBy: { gameUserId: String(index + 1), held, readAt: new Date(begin), rulesKey: 'rules' },
  };
}

const differs = (index: number): boolean => index % 2 === 0;

function difference(guildId: string, index: number): ObservedChange {
  const roleId = `10000000000000000${index % 3}`;
  const isGiven = index % 4 === 0;
  const code = isGiven ? 'meets_rule' : 'misses_rule';
  const expected = { add: isGiven ? [roleId] : [], remove: isGiven ? [] : [roleId] };
  const since = momentOf(index % 500);
  return observedChange(guildId, snowflakeOf(index), { expected, reasons: [{ roleId, code }], since });
}

function entry(guildId: string, index: number): AuditEntry {
  const at = new Date(Date.now() - 60_000 + (index % 50_000));
  const actions = ['mapping.updated', 'group.added', 'member.synced'] as const;
  return {
    _id: newId('log', at),
    guildId,
    at,
    actor: { kind: 'user', id: String(index % 50), name: 'Ann' },
    action: actions[index % actions.length] ?? 'group.added',
    target: { kind: 'mapping', id: String(index % 70), name: 'Target' },
  };
}

function delivery(guildId: string, webhookId: string, index: number): Delivery {
  const data = { reason: 'Spam', suspendedAt: momentOf(index).toISOString() };
  const names = eventName.options;
  const event = { ...newEvent('guild.suspended', guildId, data), event: names[index % names.length] ?? 'role.synced' };
  const { nextAttemptAt: _, ...made } = newDelivery(event, webhookId, 'event', momentOf(index));
  const states = ['failed', 'succeeded', 'succeeded'] as const;
  return { ...made, state: states[index % states.length] ?? 'failed', completedAt: momentOf(index) };
}

/** Most are of linked members, in two groups. */
function rankChange(guildId: string, index: number): RankChange {
  const at = new Date(Date.now() - 60_000 + index);
  const person = { gameUserId: String(index + 1), gameUsername: `Player${index % 10_000}` };
  const actor = { kind: 'user', id: '7', name: 'Ann' } as const;
  const role = (rank: number) => ({ gameRoleId: String(rank), name: `Rank ${rank}`, rank });
  return {
    ...{ _id: newId('rnk', at), guildId, groupId: index % 4 === 0 ? '16' : '15', ...person, actor, by: '7', at },
    ...(index % 10 < 8 && { chatUserId: snowflakeOf(index) }),
    ...{ door: 'discord', state: 'done', before: [role(5)], after: [role(6)] },
  };
}

function otherGuild(index: number): Guild {
  const _id = String(300_000_000_000_000_000n + BigInt(index));
  const name = `Guild ${index}`;
  return {
    ...{
      _id,
      name,
      searchName: name.toLowerCase(),
      iconUrl: null,
      ownerId: otherOwner,
      memberCount: 1,
      joinedAt: momentOf(0),
    },
    plan: index % 3 === 0 ? 'enterprise' : 'free',
    state: index % 5 === 0 ? 'suspended' : 'active',
    present: index % 4 > 0,
    // No reconciliation is due: the server does not exist.
    caughtUpAt: new Date(),
  };
}

function teammate(guildId: string, invitedBy: string, index: number): Teammate {
  const invitation = { state: 'invited', invitedBy, invitedAt: momentOf(0) } as const;
  return { guildId, chatUserId: snowflakeOf(index), username: `person${index}`, role: 'viewer', ...invitation };
}

function token(guildId: string, index: number): BotToken {
  const [createdAt, expiresAt] = [momentOf(index), new Date(Date.now() + 1e10)];
  return {
    _id: newId('tok', createdAt),
    guildId,
    role: 'viewer',
    name: 'bot',
    createdBy: 'test',
    createdAt,
    expiresAt,
  };
}

function endpoint(guildId: string, id: string | null, index: number): WebhookEndpoint {
  const at = momentOf(index);
  const more = { url: 'https://example.com/', description: null, enabled: true, secrets: [], createdAt: at };
  return { ...more, _id: id ?? newId('whk', at), guildId, events: ['role.synced'], updatedAt: at };
}

/** A resync over everybody that was over as soon as it began. */
export function finishedResync(guildId: string, at: Date): StoredPlan {
  const planned = { members: 0, settled: 0, unknown: 0, blocked: 0 };
  const applied = { changed: 0, skipped: 0, failed: 0, blocked: 0, lost: 0 };
  const progress = { memberIds: null, fixedPlan: false, estimate: 0, after: '', changedBefore: 0, fence: 1 };
  const actor = { kind: 'user', id: '7', name: 'Ann' } as const;
  const times = { createdAt: at, startedAt: at, finishedAt: at };
  const base = { kind: 'whole', parts: 1, state: 'completed', phase: 'applying', actor, planned, applied } as const;
  return { ...base, ...progress, ...times, _id: newId('job', at), guildId };
}

function group(guildId: string, index: number): LinkedGroup {
  const now = new Date();
  const more = { name: 'Group', memberCount: 0, roles: [], gone: false, addedAt: momentOf(index), refreshedAt: now };
  return { ...more, guildId, groupId: String(index + 1) };
}

function mapping(guildId: string, index: number): Mapping {
  const at = momentOf(index);
  const more = { name: null, nickname: null, removeWhenUnmatched: true, enabled: true, createdAt: at, updatedAt: at };
  return { ...more, _id: newId('map', at), guildId, condition: { type: 'verified' }, roleIds: [snowflakeOf(0)] };
}
