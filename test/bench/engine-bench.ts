import { execFileSync } from 'node:child_process';
import { mkdir, mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { Pool } from 'undici';
import { logger } from '../../src/lib/logger.js';
import { signInAt } from '../boot/service-process.js';
import { buildCrowd, type Crowd, mapCrowd, postFrom, resyncCrowd } from '../faults/resync-crowd.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort } from '../support/world.js';
import { type Figure, inTurns, percentile, table } from './figures.js';
import { fillReads } from './reads-guild.js';
import type { readsServiceVerbs } from './reads-service.js';
import { RemoteProcess } from './remote-process.js';

const atOnce = 8;

interface Side {
  pool: Pool;
  read: { path: string; headers: Record<string, string> };
  discord: DiscordSandbox;
  crowd: Crowd;
  post: ReturnType<typeof postFrom>;
  readyMs: number;
  memoryMb: () => number;
  stop(): Promise<void>;
}

/**
 * `engine [--rounds R] [--requests N] [--members M]`: the service with the embedded engine in its own process, held
 * against the same with the engine inside: reads a second and their 99th percentile, also while a resync runs.
 */
export async function benchEngine(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { rounds: option, requests: option, members: option } });
  const { rounds = '5', requests = '1000', members = '2000' } = values;
  logger.level = 'silent';
  const roblox = await startRobloxSandbox({ rateLimits: false });
  const [own, inside] = [
    await startSide(roblox, false, Number(members)),
    await startSide(roblox, true, Number(members)),
  ];
  try {
    const figures: Figure[] = [
      { name: 'start to ready', measured: own.readyMs, reference: inside.readyMs, unit: 'ms' },
      { name: 'memory', measured: own.memoryMb(), reference: inside.memoryMb(), unit: 'MB' },
    ];
    for (const isBusy of [false, true]) {
      const measure = (side: Side) => () => readFrom(side, Number(requests), isBusy);
      const { a, b } = await inTurns(Number(rounds), measure(own), measure(inside));
      const during = isBusy ? ', a resync running' : '';
      const figure = (name: string, key: 'perSecond' | 'p99', unit: string): Figure => ({
        name: `${name}${during}`,
        measured: a.map((round) => round[key]),
        reference: b.map((round) => round[key]),
        unit,
      });
      figures.push(figure('reads', 'perSecond', '/s'), figure('99th percentile', 'p99', 'ms'));
    }
    figures.push({ name: 'memory afterwards', measured: own.memoryMb(), reference: inside.memoryMb(), unit: 'MB' });
    process.stdout.write(
      `\nThe engine in a process of its own, against one inside the service's:\n${table(figures)}\n`,
    );
    return true;
  } finally {
    await Promise.all([own.stop(), inside.stop(), roblox.stop()]);
  }
}

async function startSide(roblox: RobloxSandbox, inside: boolean, members: number): Promise<Side> {
  const [discord, port] = [await startDiscordSandbox({ rateLimits: false }), await freePort()];
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const folder = join(dataDir, 'database');
  await mkdir(folder);
  const service = new RemoteProcess<typeof readsServiceVerbs>(new URL('./reads-service.js', import.meta.url), {
    output: 'ignore',
  });
  const mongodbUri = (await service.ask('openEngine', { folder, inside })).replace('/?', '/reads?');
  const environment = { ...environmentFor({ discord, roblox, port, dataDir, mongodbUri }), LOG_LEVEL: 'info' };
  const guild = await fillReads(environment, { discord, roblox });
  const { db } = mongoose.connection;
  if (!db) throw new Error('The database is not connected.');
  const crowd = await buildCrowd(members, { discord, roblox, database: db });
  const startedAt = performance.now();
  const pool = new Pool(await service.ask('start', environment), { connections: atOnce });
  const readyMs = performance.now() - startedAt;
  await guild.isKnown();
  const url = `http://localhost:${port}`;
  const post = postFrom(url, crowd, await signInAt(url, discord, crowd.ownerId));
  await mapCrowd(post, crowd);
  const read = guild.reads['GET mappings'];
  if (read === undefined) throw new Error('There is nothing to read.');
  const stop = async () => {
    await Promise.all([pool.destroy(), service.kill(), discord.stop()]);
    await removeFolder(dataDir);
  };
  return { pool, read, discord, crowd, post, readyMs, memoryMb: () => residentMb(service.pid), stop };
}

/** For a process and those that it started. */
function residentMb(pid: number): number {
  const lines = execFileSync('ps', ['-e', '-o', 'pid=,ppid=,rss='], { encoding: 'utf8' }).trim().split('\n');
  const rows = lines.map((line) => line.trim().split(/\s+/).map(Number));
  const ours = rows.filter(([own, parent]) => own === pid || parent === pid);
  return ours.reduce((sum, [, , kilobytes = 0]) => sum + kilobytes, 0) / 1_024;
}

/** Reads so often; while a resync runs, if wished, that has a role to change with everybody. */
async function readFrom({ pool, read, discord, crowd, post }: Side, requests: number, isBusy: boolean) {
  if (isBusy) {
    for (const { chatUserId, expected } of crowd.members) {
      discord.setMemberRoles(crowd.guildId, chatUserId, expected.length > 0 ? [] : [crowd.memberRole]);
    }
    // The last round's requests may still be running, and run on with these.
    await resyncCrowd(post).catch(() => undefined);
  }
  const taken: number[] = [];
  const startedAt = performance.now();
  const one = async (): Promise<void> => {
    while (taken.length < requests) {
      const askedAt = performance.now();
      const { statusCode, body } = await pool.request({ method: 'GET', ...read });
      await body.dump();
      if (statusCode !== 200) throw new Error(`GET ${read.path}: ${statusCode}`);
      taken.push(performance.now() - askedAt);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, one));
  const seconds = (performance.now() - startedAt) / 1_000;
  return { perSecond: taken.length / seconds, p99: percentile(taken, 0.99) };
}
