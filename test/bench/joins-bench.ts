import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { loadConfig, useConfig } from '../../src/config/config.js';
import { loadSecretKeys } from '../../src/config/secret-keys.js';
import { GuildRecord } from '../../src/core/guilds/guild-model.js';
import { Accounts } from '../../src/features/accounts/account-model.js';
import { Members } from '../../src/features/members/member-model.js';
import { mintBotToken } from '../../src/features/tokens/bot-tokens.js';
import { logger } from '../../src/lib/logger.js';
import { connectDatabase } from '../../src/platforms/database/connect.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { rateLimits } from '../sandbox/discord/rate-limits.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { openTestDatabase } from '../support/test-database.js';
import { environmentFor, freePort } from '../support/world.js';
import { type Figure, passes, table } from './figures.js';
import { type MeasuredService, startMeasuredService } from './service-process.js';

const pollMs = 500;
/** Discord edits one member a second; the rest is for the machine. */
const patienceMs = (people: number, scale: number): number => (people / scale) * 2_000 + 120_000;

interface Stage {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  service: MeasuredService;
  guildId: string;
  groupId: string;
}

interface CrowdCost {
  commands: number;
  memberReads: number;
  robloxCalls: number;
  heldP99: number;
  heldMax: number;
}

/**
 * `joins [--people 1000] [--scale 1]`: as many unverified people join one server at the same time, then as many verified
 * ones. `scale` multiplies Discord's limits. Gives whether all figures are within their bounds.
 */
export async function benchJoins(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { people: option, scale: option } });
  const [people, scale] = [Number(values.people ?? '1000'), Number(values.scale ?? '1')];
  logger.level = 'silent';
  const limits = Object.fromEntries(
    Object.entries(rateLimits).map(([endpoint, { limit, seconds }]) => [endpoint, { limit: limit * scale, seconds }]),
  );
  const engine = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const [discord, roblox, port] = await Promise.all([
    startDiscordSandbox({ rateLimits: limits }),
    startRobloxSandbox({ rateLimits: false }),
    freePort(),
  ]);
  const mongodbUri = engine.uri.replace('/?', '/joins?monitorCommands=true&');
  const environment = environmentFor({ discord, roblox, port, dataDir, mongodbUri });
  const { id: ownerId } = discord.addUser({ username: 'owner' });
  const { id: guildId } = discord.addGuild({ name: 'Crowded', ownerId });
  const service = await startMeasuredService(environment);
  try {
    const config = loadConfig(environment);
    useConfig({ ...config, ...loadSecretKeys(config), checkAnswers: false });
    await connectDatabase({ uri: mongodbUri, dataDir: '' });
    const stage = { discord, roblox, service, guildId, groupId: roblox.addGroup({ name: 'Group' }).id };
    await setUp(stage, ownerId);
    const unverified = await measureCrowd(stage, { people, scale, verified: false });
    const verified = await measureCrowd(stage, { people, scale, verified: true });
    const figures = [
      ...figuresOf(`${people} unverified`, unverified, { commands: 8, heldP99: 30 }),
      ...figuresOf(`${people} verified`, verified, { commands: 14 }),
    ];
    process.stdout.write(`${table(figures)}\n`);
    return figures.every(passes);
  } finally {
    await service.probe.kill();
    await Promise.all([discord.stop(), roblox.stop(), mongoose.disconnect()]);
    await removeFolder(dataDir);
    await engine.close();
  }
}

/** A group, a role for its ranks from 100 on, and no reconciliation that would find the crowd. */
async function setUp({ discord, service, guildId, groupId }: Stage, createdBy: string): Promise<void> {
  const role = discord.addRole(guildId, { name: 'Member' });
  while ((await GuildRecord.countDocuments({ _id: guildId, present: true })) === 0) await delay(pollMs);
  await GuildRecord.updateMany({}, { $set: { caughtUpAt: new Date() }, $unset: { catchUpSince: 1, catchUpAt: 1 } });
  const { text } = await mintBotToken({ guildId, role: 'admin', name: 'joins', createdBy });
  const headers = { authorization: `Bot ${text}`, 'content-type': 'application/json' };
  const post = async (path: string, body: object) => {
    const url = `${service.url}/api/guilds/${guildId}/${path}`;
    const { status } = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (status !== 201) throw new Error(`POST ${path} answered ${status}.`);
  };
  await post('groups', { groupId });
  await post('mappings', { condition: { type: 'group_rank', groupId, min: 100, max: 255 }, roleIds: [role.id] });
}

async function measureCrowd(
  { discord, roblox, service, guildId, groupId }: Stage,
  { people, scale, verified }: { people: number; scale: number; verified: boolean },
): Promise<CrowdCost> {
  const crowd = Array.from({ length: people }, (_, n) => {
    const name = `${verified ? 'v' : 'u'}crowd${n}`;
    const { id: gameUserId } = roblox.addUser({ username: name });
    roblox.setRank(groupId, gameUserId, 100);
    return { chatUserId: discord.addUser({ username: name }).id, gameUserId, name };
  });
  if (verified) await Accounts.collection.insertMany(crowd.map(accountOf) as never[]);
  const ids = crowd.map(({ chatUserId }) => chatUserId);
  const naming = [guildId, ...prefixesOf(ids), ...(verified ? prefixesOf(crowd.map((one) => one.gameUserId)) : [])];
  await service.probe.ask('count', { naming });
  const before = { discord: discord.requests.length, roblox: roblox.requests.length };
  await service.probe.ask('begin', null);
  for (const id of ids) discord.join(guildId, id);
  await untilSynced(guildId, ids, patienceMs(people, verified ? scale : people));
  const { heldP99, heldMax } = await service.probe.ask('read', null);
  const commands = await service.probe.ask('counted', null);
  process.stdout.write(`${verified ? 'verified' : 'unverified'}: ${JSON.stringify(commands)}\n`);
  const calls = discord.requests.slice(before.discord);
  const isRead = ({ method, path }: { method: string; path: string }) =>
    method === 'GET' && path.includes(`/guilds/${guildId}/members/`);
  return {
    commands: Object.values(commands).reduce((sum, count) => sum + count, 0) / people,
    memberReads: calls.filter(isRead).length / people,
    robloxCalls: (roblox.requests.length - before.roblox) / people,
    heldP99,
    heldMax,
  };
}

/** The shared beginnings of ids that were made one after the other: comparing a command with each would take too long. */
const prefixesOf = (ids: readonly string[]): string[] => [...new Set(ids.map((id) => id.slice(0, -3)))];

function accountOf({ chatUserId, gameUserId, name }: { chatUserId: string; gameUserId: string; name: string }) {
  const at = new Date();
  const game = { gameUserId, gameUsername: name, gameDisplayName: name };
  return { _id: chatUserId, ...game, method: 'oauth', linkedAt: at, namesReadAt: at };
}

async function untilSynced(guildId: string, ids: readonly string[], withinMs: number): Promise<void> {
  const end = performance.now() + withinMs;
  const synced = { guildId, chatUserId: { $in: [...ids] }, owedSync: { $exists: false }, 'syncs.0': { $exists: true } };
  while ((await Members.acrossGuilds.collection.countDocuments(synced)) < ids.length) {
    if (performance.now() > end) throw new Error('The crowd was not synced in time.');
    await delay(pollMs);
  }
}

function figuresOf(
  name: string,
  { commands, memberReads, robloxCalls, heldP99, heldMax }: CrowdCost,
  most: { commands: number; heldP99?: number },
): Figure[] {
  return [
    { name: `${name}: commands each`, measured: commands, reference: most.commands, atMost: 1, unit: '' },
    { name: `${name}: reads of members on Discord each`, measured: memberReads, reference: 0, atMost: 1, unit: '' },
    { name: `${name}: calls to Roblox each`, measured: robloxCalls, reference: 0.1, atMost: 1, unit: '' },
    {
      ...{ name: `${name}: event loop held, p99`, measured: heldP99, unit: 'ms' },
      ...(most.heldP99 === undefined ? { reference: heldP99 } : { reference: most.heldP99, atMost: 1 }),
    },
    { name: `${name}: event loop held, at most`, measured: heldMax, reference: heldMax, unit: 'ms' },
  ];
}
