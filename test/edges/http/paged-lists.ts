import { Types } from 'mongoose';
import { Teammates } from '../../../src/core/access/teammate-model.js';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { LinkedGroups } from '../../../src/core/groups/group-model.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { Mappings } from '../../../src/features/mappings/mapping-model.js';
import { memberSorts } from '../../../src/features/members/member-list.js';
import { Members } from '../../../src/features/members/member-model.js';
import { RankChanges } from '../../../src/features/ranking/rank-change-model.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { BotTokens } from '../../../src/features/tokens/token-model.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { newDelivery } from '../../../src/features/webhooks/delivery-store.js';
import { WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import { newId } from '../../../src/lib/ids.js';
import { readGuildFacts } from '../../../src/platforms/discord/guild-facts.js';
import { eventName } from '../../../src/platforms/events/event-types.js';
import { newEvent } from '../../../src/platforms/events/outbox.js';
import { emptyLog, insertEntry } from '../../core/audit/entries-setup.js';
import { buildGuild, buildPerson, eventually } from '../../support/build.js';
import { storeDifference } from '../../support/differences.js';
import { finishedResync } from '../../support/large-lists.js';
import { platformAdminId, world } from '../../support/world.js';
import { sessionHeaders, tokenHeaders } from './http-setup.js';

export interface List {
  name: string;
  path: string;
  headers: Record<string, string>;
  idOf(item: Record<string, string>): string | undefined;
  add(index: number): Promise<unknown>;
  remove(id: string): Promise<unknown>;
}

const snowflakeOf = (index: number): string => String(200_000_000_000_000_000n + BigInt(index));

async function memberList(sort: string): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  return {
    name: 'GET /api/guilds/:guildId/members',
    path: `${path}/members?sort=${sort}`,
    headers: tokenHeaders(token),
    idOf: ({ memberId }) => memberId,
    // Many share their time and their name, and some have neither.
    add: (index) =>
      Members.insert({
        _id: new Types.ObjectId(),
        guildId,
        chatUserId: snowflakeOf(index),
        chatUsername: `person${index}`,
        state: 'linked',
        present: true,
        autoLinkBlocked: false,
        names: [`person${index}`],
        syncs: [],
        ...(index % 4 === 0
          ? {}
          : {
              linkedAt: new Date(1_700_000_000_000 + (index % 3)),
              gameUserId: String(index),
              gameUsername: `Player${index % 5}`,
              gameDisplayName: 'Player',
            }),
      }),
    remove: (chatUserId) => Members.remove({ guildId, chatUserId }),
  };
}

async function differenceList(): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  return {
    name: 'GET /api/guilds/:guildId/differences',
    path: `${path}/differences?`,
    headers: tokenHeaders(token),
    idOf: ({ memberId }) => memberId,
    // Many share their time.
    add: async (index) => {
      const chatUserId = snowflakeOf(index);
      await storeDifference(guildId, chatUserId, {
        expected: { add: [], remove: [], nickname: 'Name' },
        reasons: [{ code: 'nickname' }],
        since: new Date(1_700_000_000_000 + (index % 3)),
      });
      await Members.insert({
        ...{ _id: new Types.ObjectId(), guildId, chatUserId, chatUsername: `person${index}`, differs: true },
        ...{ state: 'joined', present: true, autoLinkBlocked: false, names: [], syncs: [] },
      });
    },
    remove: (chatUserId) => Members.remove({ guildId, chatUserId }),
  };
}

async function mappingList(): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  return {
    name: 'GET /api/guilds/:guildId/mappings',
    path: `${path}/mappings?`,
    headers: tokenHeaders(token),
    idOf: ({ mappingId }) => mappingId,
    add: (index) => {
      const at = new Date(1_700_000_000_000 + index * 1_000);
      const more = {
        name: null,
        nickname: null,
        removeWhenUnmatched: true,
        enabled: true,
        createdAt: at,
        updatedAt: at,
      };
      const roleIds = ['100000000000000000'];
      return Mappings.insert({ ...more, _id: newId('map', at), guildId, condition: { type: 'verified' }, roleIds });
    },
    remove: (_id) => Mappings.remove({ guildId, _id }),
  };
}

async function teamList(): Promise<List> {
  const { guildId, ownerId: invitedBy, path, token } = await buildGuild();
  return {
    name: 'GET /api/guilds/:guildId/team',
    path: `${path}/team?`,
    headers: tokenHeaders(token),
    idOf: ({ memberId }) => memberId,
    add: (index) => {
      const invitation = { state: 'invited', invitedBy, invitedAt: new Date() } as const;
      const chatUserId = snowflakeOf(index * 3);
      return Teammates.insert({ guildId, chatUserId, username: `person${index}`, role: 'viewer', ...invitation });
    },
    remove: (chatUserId) => Teammates.remove({ guildId, chatUserId }),
  };
}

async function tokenList(): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  return {
    name: 'GET /api/guilds/:guildId/tokens',
    path: `${path}/tokens?`,
    headers: tokenHeaders(token),
    idOf: ({ tokenId }) => tokenId,
    add: (index) => {
      const createdAt = new Date(1_700_000_000_000 + index * 1_000);
      const more = { role: 'viewer', name: `bot ${index}`, createdBy: 'test', createdAt } as const;
      return BotTokens.insert({ _id: newId('tok', createdAt), guildId, ...more, expiresAt: new Date() });
    },
    remove: (_id) => BotTokens.update({ guildId, _id }, { $set: { revokedAt: new Date() } }),
  };
}

async function logList(): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  await emptyLog(guildId);
  const start = Date.now() - 60_000;
  return {
    name: 'GET /api/guilds/:guildId/logs',
    path: `${path}/logs?`,
    headers: tokenHeaders(token),
    idOf: ({ id }) => id,
    // Many share their millisecond.
    add: (index) => insertEntry(guildId, { at: new Date(start + (index % 3)) }),
    remove: (_id) => AuditLog.remove({ guildId, _id }),
  };
}

async function webhookList(): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  return {
    name: 'GET /api/guilds/:guildId/webhooks',
    path: `${path}/webhooks?`,
    headers: tokenHeaders(token),
    idOf: ({ webhookId }) => webhookId,
    add: (index) => {
      const at = new Date(1_700_000_000_000 + index * 1_000);
      const more = { url: 'https://example.com/', description: null, enabled: true, secrets: [] };
      const _id = newId('whk', at);
      return WebhookEndpoints.insert({ ...more, _id, guildId, events: ['role.synced'], createdAt: at, updatedAt: at });
    },
    remove: (_id) => WebhookEndpoints.remove({ guildId, _id }),
  };
}

async function deliveryList(): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  const webhookId = newId('whk');
  const now = new Date();
  const dates = { createdAt: now, updatedAt: now };
  const endpoint = { _id: webhookId, guildId, url: 'https://example.com/', description: null, enabled: true, ...dates };
  await WebhookEndpoints.insert({ ...endpoint, secrets: [], events: ['role.synced'] });
  return {
    name: 'GET /api/guilds/:guildId/webhooks/:webhookId/deliveries',
    path: `${path}/webhooks/${webhookId}/deliveries?`,
    headers: tokenHeaders(token),
    idOf: ({ deliveryId }) => deliveryId,
    // Those that are over, in every state and event.
    add: async (index) => {
      const names = eventName.options;
      const data = { reason: 'Spam', suspendedAt: now.toISOString() };
      const event = {
        ...newEvent('guild.suspended', guildId, data),
        event: names[index % names.length] ?? 'role.synced',
      };
      const at = new Date(1_700_000_000_000 + index * 1_000);
      const { nextAttemptAt: _, ...delivery } = newDelivery(event, webhookId, 'event', at);
      await Deliveries.insert({ ...delivery, state: index % 2 === 0 ? 'failed' : 'succeeded', completedAt: at });
    },
    remove: (_id) => Deliveries.remove({ guildId, _id }),
  };
}

async function groupList(): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  return {
    name: 'GET /api/guilds/:guildId/groups',
    path: `${path}/groups?`,
    headers: tokenHeaders(token),
    idOf: ({ groupId }) => groupId,
    add: (index) => {
      const now = new Date();
      const more = { name: 'Group', memberCount: 0, roles: [], gone: false, addedAt: now, refreshedAt: now };
      return LinkedGroups.insert({ ...more, guildId, groupId: String(7 + index * 13) });
    },
    remove: (groupId) => LinkedGroups.remove({ guildId, groupId }),
  };
}

async function guildList(): Promise<List> {
  const { chatUserId } = await buildPerson();
  return {
    name: 'GET /api/guilds',
    path: '/api/guilds?',
    headers: await sessionHeaders(chatUserId),
    idOf: ({ guildId }) => guildId,
    add: (index) => {
      const more = { name: 'Paged', iconUrl: null, memberCount: 1, state: 'active', present: true } as const;
      const _id = `${chatUserId.slice(0, -3)}${String(index * 7).padStart(3, '0')}`;
      return GuildRecord.create({ ...more, _id, ownerId: chatUserId, plan: 'free', joinedAt: new Date() });
    },
    remove: (_id) => GuildRecord.deleteOne({ _id }),
  };
}

async function allGuildsList(): Promise<List> {
  const name = `Every ${Date.now()}`;
  const from = 3n * 10n ** 17n + BigInt(Date.now()) * 1_000n;
  return {
    name: 'GET /api/admin/guilds',
    path: `/api/admin/guilds?q=${encodeURIComponent(name)}`,
    headers: await sessionHeaders(platformAdminId),
    idOf: ({ guildId }) => guildId,
    add: (index) => {
      const more = { iconUrl: null, memberCount: 1, plan: 'free', state: 'active', joinedAt: new Date() } as const;
      const facts = { _id: String(from + BigInt(index * 7)), ownerId: '1', present: index % 3 > 0 };
      return GuildRecord.create({ ...more, ...facts, name, searchName: name.toLowerCase() });
    },
    remove: (_id) => GuildRecord.deleteOne({ _id }),
  };
}

async function roleList(): Promise<List> {
  const { discord } = await world();
  const { guildId, path, token } = await buildGuild();
  const readable = async (isThere: (roles: ReadonlyMap<string, unknown>) => boolean) => {
    await eventually(async () => isThere((await readGuildFacts(guildId)).roles));
  };
  return {
    name: 'GET /api/guilds/:guildId/roles',
    path: `${path}/roles?`,
    headers: tokenHeaders(token),
    idOf: ({ roleId }) => roleId,
    add: (index) => {
      const { id } = discord.addRole(guildId, { name: `Role ${index}` });
      return readable((roles) => roles.has(id));
    },
    remove: (roleId) => {
      discord.deleteRole(guildId, roleId);
      return readable((roles) => !roles.has(roleId));
    },
  };
}

async function resyncList(): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  return {
    name: 'GET /api/guilds/:guildId/resyncs',
    path: `${path}/resyncs?`,
    headers: tokenHeaders(token),
    idOf: ({ jobId }) => jobId,
    add: (index) => Plans.insert(finishedResync(guildId, new Date(1_700_000_000_000 + index * 1_000))),
    remove: (_id) => Plans.remove({ guildId, _id }),
  };
}

async function rankList(): Promise<List> {
  const { guildId, path, token } = await buildGuild();
  const groupId = '15';
  const now = new Date();
  const more = { name: 'Group', memberCount: 0, roles: [], gone: false, addedAt: now, refreshedAt: now };
  await LinkedGroups.insert({ ...more, guildId, groupId });
  const person = { gameUserId: '15', gameUsername: 'Player', before: [], after: [] };
  const actor = { kind: 'user', id: '7', name: 'Ann' } as const;
  return {
    name: 'GET /api/guilds/:guildId/groups/:groupId/ranks',
    path: `${path}/groups/${groupId}/ranks?`,
    headers: tokenHeaders(token),
    idOf: ({ changeId }) => changeId,
    // Many share their second.
    add: (index) => {
      const at = new Date(1_700_000_000_000 + (index % 3) * 1_000);
      const change = { ...person, _id: newId('rnk', at), guildId, groupId, actor, by: '7', at };
      return RankChanges.insert({ ...change, door: 'api', state: 'done' });
    },
    remove: (_id) => RankChanges.remove({ guildId, _id }),
  };
}

export const lists: [string, () => Promise<List>][] = [
  ['guilds', guildList],
  ['all guilds', allGuildsList],
  ['groups', groupList],
  ['mappings', mappingList],
  ['roles', roleList],
  ['team', teamList],
  ['tokens', tokenList],
  ['webhooks', webhookList],
  ['deliveries', deliveryList],
  ['logs', logList],
  ['differences', differenceList],
  ['resyncs', resyncList],
  ['changes of ranks', rankList],
  ...memberSorts.map((sort): [string, () => Promise<List>] => [`members by ${sort}`, () => memberList(sort)]),
];
