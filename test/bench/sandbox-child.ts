import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import { signInAt } from '../boot/service-process.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { rateLimits } from '../sandbox/discord/rate-limits.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { type BenchGuild, BenchPeople, buildBenchGuild } from './bench-guild.js';
import { serveParent } from './remote-process.js';

// Both sandboxes' process: `node sandbox-child.js SCALE`. Each endpoint's own limit is SCALE times the usual one, its
// window as long as ever; the global limit is Discord's.

const scale = Number(process.argv[2] ?? '1');
const limits = Object.fromEntries(
  Object.entries(rateLimits).map(([endpoint, { limit, seconds }]) => [endpoint, { limit: limit * scale, seconds }]),
);
const [discord, roblox] = await Promise.all([
  startDiscordSandbox({ rateLimits: limits }),
  startRobloxSandbox({ rateLimits: false }),
]);
let guild: BenchGuild | undefined;
let people = new BenchPeople();
let updating = new AbortController();
let latencies: Promise<number[]> = Promise.resolve([]);
let turn = 0;

/** A person without their role asks for it with /update: milliseconds until they read that they have it. */
async function updateOnce(): Promise<number> {
  const { guildId = '' } = guild ?? {};
  const chatUserId = people.inStep[(turn++ * 7) % people.inStep.length] ?? '';
  discord.setMemberRoles(guildId, chatUserId, []);
  const startedAt = performance.now();
  const interaction = await discord.command(guildId, chatUserId, 'update');
  await interaction.reply(30_000);
  return performance.now() - startedAt;
}

/**
 * People come between half and one and a half times `everyMs` after each other. On the beat they would fall in with the
 * windows in Discord's limits, so that most came as a window ends, or none.
 */
async function updateUntil(signal: AbortSignal, everyMs: number): Promise<number[]> {
  const taken: number[] = [];
  while (!signal.aborted) {
    const ms = await updateOnce();
    taken.push(ms);
    const nextMs = everyMs * (0.5 + Math.random());
    await delay(Math.max(0, nextMs - ms), undefined, { signal }).catch(() => undefined);
  }
  return taken;
}

/** How often each endpoint was called, as `METHOD /path` with `:id` for every id, and `:token` for an interaction's. */
function countOf(requests: readonly { method: string; path: string }[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const { method, path } of requests) {
    const endpoint = `${method} ${path
      .replace(/^\/api\/v\d+/, '')
      .replaceAll(/(?<=\/)\d+/g, ':id')
      .replace(/(?<=^\/(interactions|webhooks)\/:id\/)[^/]+/, ':token')}`;
    counts[endpoint] = (counts[endpoint] ?? 0) + 1;
  }
  return counts;
}

export const sandboxVerbs = {
  environment: (_: null) => sandboxEnvironment(discord, roblox),
  limits: (_: null) => limits,
  async fill({ members, databaseUri }: { members: number; databaseUri: string }): Promise<BenchGuild> {
    const connection = await mongoose.createConnection(databaseUri).asPromise();
    if (!connection.db) throw new Error('The database is not connected.');
    ({ guild, people } = await buildBenchGuild(members, { discord, roblox, database: connection.db }));
    await connection.close();
    return guild;
  },
  signIn: ({ url, chatUserId }: { url: string; chatUserId: string }) => signInAt(url, discord, chatUserId),
  /** Lets people use /update, one after the other, until `endUpdates`. */
  beginUpdates({ everyMs }: { everyMs: number }): void {
    updating = new AbortController();
    latencies = updateUntil(updating.signal, everyMs);
  },
  /** How long each took, in ms. */
  endUpdates(_: null): Promise<number[]> {
    updating.abort();
    return latencies;
  },
  /** Takes the roles from this many people that don't use /update. */
  takeRoles({ count }: { count: number }): void {
    const inStep = new Set(people.inStep);
    const others = [...people.expected.keys()].filter((chatUserId) => !inStep.has(chatUserId));
    for (const chatUserId of others.slice(0, count)) discord.setMemberRoles(guild?.guildId ?? '', chatUserId, []);
  },
  forgetRequests(_: null): void {
    discord.forgetRequests();
    roblox.forgetRequests();
  },
  requests: (_: null) => ({
    discord: countOf(discord.requests),
    roblox: countOf(roblox.requests),
    refused: discord.requests.filter(({ status }) => status === 429).length,
  }),
  /** How many members are not as they should be. */
  wrong(_: null): number {
    const { guildId = '' } = guild ?? {};
    return [...people.expected].filter(([chatUserId, expected]) => {
      const member = discord.member(guildId, chatUserId);
      return member?.roleIds.sort().join() !== expected.roleIds.join() || member.nickname !== expected.nickname;
    }).length;
  },
};

serveParent(sandboxVerbs);
