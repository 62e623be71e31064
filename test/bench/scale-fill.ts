import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import { loadConfig, useConfig } from '../../src/config/config.js';
import { loadSecretKeys } from '../../src/config/secret-keys.js';
import { startSession } from '../../src/core/auth/session-service.js';
import { LinkedGroups } from '../../src/core/groups/group-model.js';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { Accounts } from '../../src/features/accounts/account-model.js';
import { Mappings } from '../../src/features/mappings/mapping-model.js';
import { Members } from '../../src/features/members/member-model.js';
import { mintBotToken } from '../../src/features/tokens/bot-tokens.js';
import { hourMs } from '../../src/lib/time.js';
import { connectDatabase } from '../../src/platforms/database/connect.js';
import { linkedMember } from '../features/sync/resync-setup.js';
import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { fillLog } from './bench-log.js';
import { benchGroup, benchMapping } from './reads-guild.js';

export interface Scale {
  guilds: number;
  accounts: number;
  entries: number;
  mappings: number;
}

/** How many accounts are members in the largest guild; the others are spread evenly. */
const shareOfLargest = 0.2;
const storedAtOnce = 5_000;
const groupCount = 25;

export interface Stage {
  /** The largest guild, with all the log entries and mappings. */
  guildId: string;
  /** Reads on it, and on the whole platform, by name. */
  reads: Record<string, { path: string; headers: Record<string, string> }>;
}

/** Fills the database and the sandbox with a platform this large. `adminId` is a platform admin. */
export async function fillScale(
  environment: Record<string, string>,
  { discord, adminId, scale }: { discord: DiscordSandbox; adminId: string; scale: Scale },
): Promise<Stage> {
  const config = loadConfig(environment);
  const keys = loadSecretKeys(config);
  useConfig({ ...config, ...keys, checkAnswers: false });
  await connectDatabase({ uri: config.mongodbUri, dataDir: '' });
  const { id: ownerId } = discord.addUser({ username: 'scale.owner' });
  const guildIds = Array.from({ length: scale.guilds }, (_, n) => discord.addGuild({ name: `Guild ${n}`, ownerId }).id);
  const [guildId = ''] = guildIds;
  await fillPeople(guildIds, scale.accounts);
  const role = discord.addRole(guildId, { name: 'Member' });
  const groups = Array.from({ length: groupCount }, (_, n) => benchGroup(guildId, n));
  await LinkedGroups.acrossGuilds.insertMany(groups);
  const mappings = Array.from({ length: scale.mappings }, (_, n) => benchMapping(guildId, n, role.id));
  await Mappings.acrossGuilds.insertMany(mappings);
  if (mongoose.connection.db) await fillLog(mongoose.connection.db, guildId, scale.entries);
  const { text } = await mintBotToken({ guildId, role: 'admin', name: 'scale', createdBy: ownerId });
  const owner = await cookieOf(ownerId, guildIds.slice(0, 100));
  const admin = await cookieOf(adminId, []);
  const path = `/api/guilds/${guildId}`;
  const token = { authorization: `Bot ${text}` };
  const lists = [
    'members?limit=100',
    'members?q=person1',
    'mappings?limit=100',
    'groups',
    'roles',
    'overview',
    'health',
  ];
  const ofGuild = [...lists, 'logs?limit=100', 'logs?action=member.linked&limit=100', 'config'];
  return {
    guildId,
    reads: {
      'GET the guild': { path, headers: token },
      ...Object.fromEntries(ofGuild.map((list) => [`GET …/${list}`, { path: `${path}/${list}`, headers: token }])),
      'GET /api/guilds, of an owner of all': { path: '/api/guilds?limit=100', headers: owner },
      'GET /api/admin/guilds': { path: '/api/admin/guilds?limit=100', headers: admin },
      'GET /api/admin/metrics': { path: '/api/admin/metrics', headers: admin },
    },
  };
}

async function cookieOf(chatUserId: string, guildIds: string[]): Promise<Record<string, string>> {
  const managedGuilds = guildIds.map((guildId) => ({ guildId, name: 'Guild', iconUrl: null }));
  const profile = { chatUserId, username: 'scale', avatarUrl: null, managedGuilds };
  return { cookie: `rolelink_session=${await startSession(profile)}` };
}

async function fillPeople(guildIds: readonly string[], count: number): Promise<void> {
  const [largest = '', ...others] = guildIds;
  for (let from = 0; from < count; from += storedAtOnce) {
    const numbers = Array.from({ length: Math.min(storedAtOnce, count - from) }, (_, index) => from + index);
    await Accounts.collection.insertMany(numbers.map(account) as never[]);
    const guildOf = (n: number) => (n < count * shareOfLargest ? largest : (others[n % others.length] ?? largest));
    await Members.acrossGuilds.collection.insertMany(
      numbers.map((n) => linkedMember(guildOf(n), personOf(n))) as never[],
    );
  }
}

const personOf = (n: number) => ({
  chatUserId: String(500_000_000_000_000_000n + BigInt(n)),
  username: `person${n}`,
  gameUserId: String(5_000_000 + n),
  gameUsername: `Player${n}`,
});

function account(n: number) {
  const { chatUserId: _id, gameUserId, gameUsername } = personOf(n);
  // New links would be looked at first, all of them.
  const at = new Date(Date.now() - hourMs);
  return {
    _id,
    gameUserId,
    gameUsername,
    gameDisplayName: gameUsername,
    method: 'oauth',
    linkedAt: at,
    namesReadAt: at,
  };
}

/** As if every guild had caught up: its people are not on Discord, and would be marked as gone. */
export async function settleScale(guilds: number): Promise<void> {
  while ((await GuildRecord.countDocuments({ present: true })) < guilds) await delay(50);
  const owed = { catchUpSince: 1, catchUpAt: 1, welcome: 1 } as const;
  await GuildRecord.updateMany({}, { $set: { caughtUpAt: new Date() }, $unset: owed });
}
