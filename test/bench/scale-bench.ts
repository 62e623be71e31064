import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import mongoose, { trusted } from 'mongoose';
import { WatchedGuilds } from '../../src/features/rank-watch/watched-models.js';
import { logger } from '../../src/lib/logger.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { openTestDatabase } from '../support/test-database.js';
import { environmentFor, freePort, platformAdminId } from '../support/world.js';
import { percentile } from './figures.js';
import { operationsOf, planningTable, sizesOf, timeBackup } from './planning-table.js';
import type { readsServiceVerbs } from './reads-service.js';
import { RemoteProcess } from './remote-process.js';
import { fillScale, type Scale, type Stage, settleScale } from './scale-fill.js';
import { startMeasuredService } from './service-process.js';

const readsOfEach = 15;
/** A minute in which nothing happens on the platforms. */
const idleMs = 60_000;

/**
 * `scale [--guilds 2000] [--accounts 100000] [--entries 1000000] [--mappings 1000]`: fills a platform this large,
 * starts the service on it, and prints how long the start, the standing jobs and the lists take, and the row for the
 * table in docs/scaling.md. Gives whether all were answered.
 */
export async function benchScale(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const options = { guilds: option, accounts: option, entries: option, mappings: option };
  const { values } = parseArgs({ args, options });
  const scale: Scale = {
    guilds: Number(values.guilds ?? '2000'),
    accounts: Number(values.accounts ?? '100000'),
    entries: Number(values.entries ?? '1000000'),
    mappings: Number(values.mappings ?? '1000'),
  };
  logger.level = 'silent';
  const engine = await openTestDatabase();
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const [discord, roblox, port] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
    freePort(),
  ]);
  const service = new RemoteProcess<typeof readsServiceVerbs>(new URL('./reads-service.js', import.meta.url));
  try {
    const mongodbUri = engine.uri.replace('/?', '/scale?');
    const environment = environmentFor({ discord, roblox, port, dataDir, mongodbUri });
    const filled = await timed(() => fillScale(environment, { discord, adminId: platformAdminId, scale }));
    say(`${JSON.stringify(scale)}, filled in ${(filled.ms / 1000).toFixed(0)} s; times in ms`);
    const started = await timed(() => service.ask('start', environment));
    await settleScale(scale.guilds);
    const memory = await service.ask('memory', null);
    say(`start until every server is known: ${started.ms.toFixed(0)}; memory ${memory.toFixed(0)} MB`);
    for (const [name, ms] of await service.ask('runStandingJobs', null)) say(`job ${name}: ${ms.toFixed(0)}`);
    const isAnswered = await timeReads(started.result, filled.result);
    await service.kill();
    say(await measureRow(environment, dataDir, scale));
    return isAnswered;
  } finally {
    await Promise.all([service.kill(), discord.stop(), roblox.stop(), mongoose.disconnect()]);
    await removeFolder(dataDir);
    await engine.close();
  }
}

/** One process as `npm start` runs it, while nothing happens. Then its data and its backup. */
async function measureRow(environment: Record<string, string>, dataDir: string, scale: Scale): Promise<string> {
  const measured = await startMeasuredService(environment);
  await settleScale(scale.guilds);
  await watchHasRead();
  const before = await operationsOf(mongoose.connection);
  await measured.probe.ask('begin', null);
  await delay(idleMs);
  const operationsASecond = ((await operationsOf(mongoose.connection)) - before) / (idleMs / 1_000);
  const { peakMemory } = await measured.probe.ask('read', null);
  await measured.probe.end('SIGTERM');
  const sizes = await sizesOf(mongoose.connection);
  const backupMs = await timeBackup(environment, dataDir);
  const counts = { servers: scale.guilds, people: scale.accounts, processes: 1 };
  return `\n${planningTable([{ ...counts, memoryMb: peakMemory, operationsASecond, ...sizes, backupMs }])}`;
}

/** Until nobody's ranks are due: a start looks at everybody in its own time. */
async function watchHasRead(): Promise<void> {
  const isDue = () => WatchedGuilds.countDocuments({ turnAt: trusted({ $lte: new Date() }) });
  do await delay(idleMs);
  while ((await isDue()) > 0);
}

async function timed<T>(work: () => Promise<T>): Promise<{ result: T; ms: number }> {
  const startedAt = performance.now();
  return { result: await work(), ms: performance.now() - startedAt };
}

async function timeReads(url: string, { reads }: Stage): Promise<boolean> {
  let isAnswered = true;
  for (const [name, { path, headers }] of Object.entries(reads)) {
    const taken: number[] = [];
    while (taken.length < readsOfEach) {
      const { result, ms } = await timed(async () => {
        const answer = await fetch(url + path, { headers });
        await answer.arrayBuffer();
        return answer;
      });
      if (result.status === 429) {
        // This many reads fit into a minute only while they are slow.
        await delay(Number(result.headers.get('retry-after')) * 1_000);
        continue;
      }
      isAnswered &&= result.status === 200;
      taken.push(ms);
    }
    say(`${name}: median ${percentile(taken, 0.5).toFixed(0)}, most ${Math.max(...taken).toFixed(0)}`);
  }
  return isAnswered;
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
