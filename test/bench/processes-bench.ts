import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import mongoose, { type Connection } from 'mongoose';
import { logger } from '../../src/lib/logger.js';
import { signInAt } from '../boot/service-process.js';
import { buildCrowd, type Crowd, mapCrowd, postFrom, resyncCrowd, writesByMember } from '../faults/resync-crowd.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { shardOf } from '../sandbox/discord/snowflakes.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { openTestDatabase } from '../support/test-database.js';
import { environmentFor, freePort } from '../support/world.js';
import { type Figure, passes, table } from './figures.js';
import { operationsOf, type PlanningRow, planningTable, sizesOf, timeBackup } from './planning-table.js';
import { type MeasuredService, startMeasuredService } from './service-process.js';

const counts = [1, 2, 4] as const;
const shards = Math.max(...counts);
const guildsOfShard = 4;
const endWithinMs = 600_000;
/** The busiest among several processes may use this share of one process's work. It includes each one's fixed cost. */
const busiestAtMost = { 2: 0.65, 4: 0.5 } as const;

/** Measured when the work is over. */
const noSizes = { bytesOfEntry: 0, dataBytes: 0, indexBytes: 0, backupMs: 0 };

/** The processes' work for resyncs in all guilds. */
interface Measured {
  makespanMs: number;
  /** For each process. */
  coreMs: number[];
  /** Members with wrong roles, and writes more than needed. */
  wrong: number;
  extraWrites: number;
  row: PlanningRow;
}

/**
 * `processes [--members N] [--rounds R]`: resyncs in 16 guilds with N members by one, two and four processes on one
 * database, each with its shards. Gives whether every figure is in its bound. How near to linear it is on cores enough
 * tells the time of a core that the busiest process takes; the makespan is bounded by this machine's cores.
 */
export async function benchProcesses(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { members: option, rounds: option } });
  const members = Number(values.members ?? '100');
  const rounds = Number(values.rounds ?? '3');
  logger.level = 'silent';
  const engine = await openTestDatabase();
  const measured = new Map<number, Measured[]>(counts.map((count) => [count, []]));
  try {
    for (let round = 0; round < rounds; round += 1) {
      for (const count of counts) {
        const uri = engine.uri.replace('/?', `/processes_${round}_${count}?`);
        const taken = await measureProcesses(uri, count, members);
        measured.get(count)?.push(taken);
        const each = taken.coreMs.map((ms) => (ms / 1_000).toFixed(1)).join(', ');
        say(`${count} processes: ${(taken.makespanMs / 1_000).toFixed(1)} s; of a core ${each} s`);
      }
    }
  } finally {
    await engine.close();
  }
  const figures = figuresOf(measured);
  say(`\n${table(figures)}`);
  const last = counts.flatMap((count) => measured.get(count)?.at(-1)?.row ?? []);
  say(`\nWhile every change that Discord allows is made:\n${planningTable(last)}`);
  return figures.every(passes);
}

function figuresOf(measured: ReadonlyMap<number, readonly Measured[]>): Figure[] {
  const rounds = [...measured.values()].flat();
  const sum = (of: (taken: Measured) => number) => rounds.reduce((total, taken) => total + of(taken), 0);
  const each = (count: number, of: (taken: Measured) => number) => (measured.get(count) ?? []).map(of);
  const none = { reference: 0, atMost: 1, exact: true, unit: '' };
  const makespan = ({ makespanMs }: Measured) => Math.round(makespanMs);
  const busiest = ({ coreMs }: Measured) => Math.round(Math.max(...coreMs));
  const inAll = ({ coreMs }: Measured) => Math.round(coreMs.reduce((total, ms) => total + ms, 0));
  return [
    { name: 'members wrong in the end', measured: sum(({ wrong }) => wrong), ...none },
    { name: 'writes more than needed', measured: sum(({ extraWrites }) => extraWrites), ...none },
    ...([2, 4] as const).flatMap((count): Figure[] => [
      { name: `makespan, ${count} / 1`, measured: each(count, makespan), reference: each(1, makespan), unit: 'ms' },
      {
        name: `time of a core, busiest of ${count} / 1`,
        measured: each(count, busiest),
        reference: each(1, busiest),
        atMost: busiestAtMost[count],
        unit: 'ms',
      },
      { name: `time of a core, all ${count} / 1`, measured: each(count, inAll), reference: each(1, inAll), unit: 'ms' },
    ]),
  ];
}

interface Stage {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  database: Connection;
}

async function measureProcesses(mongodbUri: string, count: number, members: number): Promise<Measured> {
  const [discord, roblox, dataDir, database] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
    mkdtemp(join(tmpdir(), 'rolelink-processes-')),
    mongoose.createConnection(mongodbUri).asPromise(),
  ]);
  const services: MeasuredService[] = [];
  try {
    const crowds = await buildCrowds({ discord, roblox, database }, members);
    const ofOne = shards / count;
    let environment: Record<string, string> = {};
    for (let first = 0; first < shards; first += ofOne) {
      environment = environmentFor({ discord, roblox, port: await freePort(), dataDir, mongodbUri });
      services.push(await startMeasuredService({ ...environment, SHARDS: `${first}-${first + ofOne - 1}/${shards}` }));
    }
    const taken = await resyncAll({ discord, roblox, database }, services, crowds);
    const row = { ...taken.row, ...(await sizesOf(database)), backupMs: await timeBackup(environment, dataDir) };
    return { ...taken, row };
  } finally {
    await Promise.all(services.map(({ probe }) => probe.kill()));
    await database.dropDatabase();
    await Promise.all([database.close(), discord.stop(), roblox.stop()]);
    await removeFolder(dataDir);
  }
}

/** As many guilds for each shard. */
async function buildCrowds({ discord, roblox, database }: Stage, members: number): Promise<Crowd[]> {
  if (!database.db) throw new Error('The database is not connected.');
  const crowds: Crowd[] = [];
  while (crowds.length < shards * guildsOfShard) {
    const crowd = await buildCrowd(members, { discord, roblox, database: database.db });
    const ofShard = crowds.filter(({ guildId }) => shardOf(guildId, shards) === shardOf(crowd.guildId, shards));
    if (ofShard.length < guildsOfShard) crowds.push(crowd);
    else discord.removeBot(crowd.guildId);
  }
  return crowds;
}

/** One process is asked for everything. */
async function resyncAll(
  stage: Stage,
  services: readonly MeasuredService[],
  crowds: readonly Crowd[],
): Promise<Measured> {
  const { discord, database } = stage;
  const guilds = database.collection('guilds');
  await eventually(async () => (await guilds.countDocuments({ present: true })) === crowds.length, 'the guilds');
  // The new sessions' catch-ups would leave nothing for the resyncs to do.
  await guilds.updateMany({}, { $unset: { catchUpSince: 1, catchUpAt: 1 } });
  const [{ url } = { url: '' }] = services;
  const posts = await Promise.all(
    crowds.map(async (crowd) => postFrom(url, crowd, await signInAt(url, discord, crowd.ownerId))),
  );
  for (const [at, crowd] of crowds.entries()) await mapCrowd(posts[at] as (typeof posts)[number], crowd);
  await Promise.all(services.map(({ probe }) => probe.ask('begin', null)));
  const [startedAt, before] = [performance.now(), await operationsOf(database)];
  for (const post of posts) await resyncCrowd(post);
  let looks = 0;
  const open = () => {
    looks += 1;
    return database.collection('plans').countDocuments({ state: { $ne: 'completed' } });
  };
  await eventually(async () => (await open()) === 0, 'the resyncs', endWithinMs);
  const makespanMs = performance.now() - startedAt;
  const operations = (await operationsOf(database)) - before - looks;
  const loads = await Promise.all(services.map(({ probe }) => probe.ask('read', null)));
  const people = crowds.flatMap(({ guildId, members }) => members.map((member) => ({ guildId, ...member })));
  const isWrong = ({ guildId, chatUserId, expected }: (typeof people)[number]) =>
    discord.member(guildId, chatUserId)?.roleIds.sort().join() !== expected.join();
  const writes = [...writesByMember(discord).values()].reduce((total, times) => total + times, 0);
  return {
    makespanMs,
    coreMs: loads.map(({ coreMs }) => coreMs),
    wrong: people.filter(isWrong).length,
    extraWrites: writes - people.filter(({ differs }) => differs).length,
    row: {
      servers: crowds.length,
      people: people.length,
      processes: services.length,
      memoryMb: Math.max(...loads.map(({ peakMemory }) => peakMemory)),
      operationsASecond: (operations / makespanMs) * 1_000,
      ...noSizes,
    },
  };
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
