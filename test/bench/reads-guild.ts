import { setTimeout as delay } from 'node:timers/promises';
import mongoose, { Types } from 'mongoose';
import { loadConfig, useConfig } from '../../src/config/config.js';
import { loadSecretKeys } from '../../src/config/secret-keys.js';
import { startSession } from '../../src/core/auth/session-service.js';
import { type LinkedGroup, LinkedGroups } from '../../src/core/groups/group-model.js';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { Accounts } from '../../src/features/accounts/account-model.js';
import { type Mapping, Mappings } from '../../src/features/mappings/mapping-model.js';
import { Members } from '../../src/features/members/member-model.js';
import { mintBotToken } from '../../src/features/tokens/bot-tokens.js';
import { newId } from '../../src/lib/ids.js';
import { connectDatabase } from '../../src/platforms/database/connect.js';
import { linkedMember } from '../features/sync/resync-setup.js';
import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { fillSyncs } from './writes-guild.js';

const [members, mappings, groups, roles] = [20_000, 100, 3, 30];
const begin = 1_700_000_000_000;

export interface BenchRequest {
  /** Left out if `of` gives it. */
  path?: string;
  headers: Record<string, string>;
  method?: 'GET' | 'PUT' | 'POST';
  /** Requests under way at once; 8 by default. */
  atOnce?: number;
  /** The parts in the request with this number. */
  of?(n: number, side: BenchSide): { path?: string; body?: string };
  /** Whether the service has done what is measured. */
  isAsMeant?(answer: string): boolean;
}

export type BenchSide = 'service' | 'bare';

export interface ReadsGuild {
  tokenSecret: string;
  /** Waits until the service knows the guild. */
  isKnown(): Promise<void>;
  reads: Record<string, BenchRequest & { path: string }>;
  /** Requests that write, each time something else. */
  writes: Record<string, BenchRequest>;
}

/** A guild as large as a large community, its owner's token, and a person with a link and a session. */
export async function fillReads(
  environment: Record<string, string>,
  { discord, roblox }: { discord: DiscordSandbox; roblox: RobloxSandbox },
): Promise<ReadsGuild> {
  const config = loadConfig(environment);
  const keys = loadSecretKeys(config);
  useConfig({ ...config, ...keys, checkAnswers: false });
  await connectDatabase({ uri: config.mongodbUri, dataDir: '' });
  const { id: ownerId } = discord.addUser({ username: 'bench.owner' });
  const { id: guildId } = discord.addGuild({ name: 'Bench', ownerId });
  const roleIds = Array.from({ length: roles }, (_, n) => discord.addRole(guildId, { name: `Role ${n}` }).id);
  discord.moveRole(guildId, discord.botRole(guildId).id, roles + 1);
  await LinkedGroups.acrossGuilds.insertMany(Array.from({ length: groups }, (_, n) => benchGroup(guildId, n)));
  const mapped = Array.from({ length: mappings }, (_, n) => benchMapping(guildId, n, roleIds[n % roles] ?? ''));
  await Mappings.acrossGuilds.insertMany(mapped);
  const people = Array.from({ length: members }, (_, n) => memberOf(guildId, n));
  for (let n = 0; n < members; n += 5_000) await Members.acrossGuilds.collection.insertMany(people.slice(n, n + 5_000));
  await Accounts.create({
    _id: ownerId,
    gameUserId: '1',
    gameUsername: 'Owner',
    gameDisplayName: 'Owner',
    method: 'oauth',
    linkedAt: new Date(begin),
  });
  const profile = {
    chatUserId: ownerId,
    username: 'bench.owner',
    avatarUrl: null,
    managedGuilds: [{ guildId, name: 'Bench', iconUrl: null }],
  };
  const cookie = { cookie: `rolelink_session=${await startSession(profile)}` };
  const { text } = await mintBotToken({ guildId, role: 'admin', name: 'bench', createdBy: ownerId });
  const token = { authorization: `Bot ${text}` };
  const path = `/api/guilds/${guildId}`;
  return {
    tokenSecret: keys.botTokenKeys[0]?.secret ?? '',
    async isKnown() {
      while ((await GuildRecord.exists({ _id: guildId, present: true })) === null) await delay(50);
      // Its members are not on Discord: a reconciliation would mark them as gone.
      await GuildRecord.updateMany({}, { $unset: { catchUpSince: 1, catchUpAt: 1, welcome: 1 } });
      await mongoose.disconnect();
    },
    reads: {
      'GET mappings': { path: `${path}/mappings`, headers: token },
      'GET members?limit=100': { path: `${path}/members?limit=100`, headers: token },
      'GET members by gameUserId': { path: `${path}/members?gameUserId=1000077`, headers: token },
      'GET me by token': { path: '/api/auth/me', headers: token },
      'GET me by cookie': { path: '/api/auth/me', headers: cookie },
    },
    writes: {
      'PUT mapping': {
        method: 'PUT',
        headers: { ...token, 'content-type': 'application/json' },
        of: (n, side) => ({
          // Each side has half of them, since the service's have the log entries that the relay has not taken out yet.
          path: `${path}/mappings/${mapped[((n * 2) % mapped.length) + (side === 'service' ? 0 : 1)]?._id}`,
          body: JSON.stringify({ condition: { type: 'verified' }, roleIds: [roleIds[0]], name: `Turn ${n}` }),
        }),
      },
      ...(await fillSyncs(discord, roblox)),
    },
  };
}

export function benchGroup(guildId: string, n: number): LinkedGroup {
  const names = ['Guest', 'Member', 'Officer', 'Admin', 'Owner'];
  const ranks = names.map((name, rank) => ({ gameRoleId: `${n}${rank}`, rank: rank * 50, name, memberCount: 100 }));
  const at = new Date(begin + n);
  const facts = { guildId, groupId: String(n + 1), name: `Group ${n}`, memberCount: 400, gone: false };
  return { ...facts, roles: ranks, addedAt: at, refreshedAt: at };
}

export function benchMapping(guildId: string, n: number, roleId: string): Mapping {
  const at = new Date(begin + n * 1_000);
  const condition = { type: 'group_rank', groupId: String((n % groups) + 1), min: (n % 250) + 1, max: 255 } as const;
  const rule = {
    name: `Mapping ${n}`,
    condition,
    roleIds: [roleId],
    nickname: null,
    removeWhenUnmatched: true,
    enabled: true,
  };
  return { ...rule, _id: newId('map', at), guildId, createdAt: at, updatedAt: at };
}

/** As a sync has left them. */
function memberOf(guildId: string, n: number) {
  const [chatUserId, username] = [String(200_000_000_000_000_000n + BigInt(n)), `person${n}`];
  const person = { chatUserId, username, gameUserId: String(1_000_000 + n), gameUsername: `Player${n}` };
  const at = new Date(begin + n * 1_000);
  const sync = { at, trigger: 'join', added: [String(n)], removed: [], nickname: person.gameUsername, blocked: [] };
  return { ...linkedMember(guildId, person), _id: new Types.ObjectId(), linkedAt: at, syncs: [sync] };
}
