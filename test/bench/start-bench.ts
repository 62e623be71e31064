import { readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { logger } from '../../src/lib/logger.js';
import { findRunningEngine } from '../../src/platforms/database/engine-address.js';
import { startProcess } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort } from '../support/world.js';
import { type Figure, passes, table } from './figures.js';

const readyWithinMs = 120_000;
/** After ready, when the first work in the background is measured. */
const soonMs = 5_000;
/** The start's work is over when the number of commands is unchanged for this time. */
const settledMs = 10_000;
/** Linux counts the time of a core in hundredths of a second. */
const msPerTick = 10;

/** A start of the service, with the commands that its engine has executed. */
interface Start {
  readyMs: number;
  untilReady: number;
  soonAfter: number;
  settled: number;
  coreMs: number;
}

/**
 * `start [--guilds 2000]`: the first start with servers that the database does not know, then a restart. Gives whether
 * the commands to the database are within their bounds.
 */
export async function benchStart(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { guilds: { type: 'string' } } });
  const guilds = Number(values.guilds ?? '2000');
  logger.level = 'silent';
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const [discord, roblox, port] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
    freePort(),
  ]);
  addGuilds(discord, guilds);
  const environment = { ...environmentFor({ discord, roblox, port, dataDir }), LOG_LEVEL: 'info' };
  try {
    const first = await measureStart(environment, dataDir);
    const again = await measureStart(environment, dataDir);
    const figures: Figure[] = [
      ...figuresOf(`first start, ${guilds} servers`, first),
      ...figuresOf(`restart, ${guilds} servers`, again),
      { name: 'restart, commands until ready', measured: again.untilReady, reference: 60, unit: '', atMost: 1 },
    ];
    process.stdout.write(`${table(figures)}\n`);
    return figures.every(passes);
  } finally {
    await Promise.all([discord.stop(), roblox.stop()]);
    await removeFolder(dataDir);
  }
}

function addGuilds(discord: DiscordSandbox, count: number): void {
  const { id: ownerId } = discord.addUser({ username: 'owner of many' });
  for (let n = 0; n < count; n += 1) discord.addGuild({ name: `Of many ${n}`, ownerId });
}

function figuresOf(name: string, { readyMs, untilReady, soonAfter, settled, coreMs }: Start): Figure[] {
  return [
    { name: `${name}: ready`, measured: readyMs, reference: readyMs, unit: 'ms' },
    { name: `${name}: commands until ready`, measured: untilReady, reference: untilReady, unit: '' },
    { name: `${name}: commands 5 s later`, measured: soonAfter, reference: untilReady, unit: '' },
    { name: `${name}: commands when settled`, measured: settled, reference: untilReady, unit: '' },
    { name: `${name}: core time when settled`, measured: coreMs, reference: readyMs, unit: 'ms' },
  ];
}

async function measureStart(environment: Record<string, string>, dataDir: string): Promise<Start> {
  const service = startProcess(environment);
  const startedAt = performance.now();
  try {
    await service.logged('ready', readyWithinMs);
    const readyMs = performance.now() - startedAt;
    const uri = (await findRunningEngine(join(dataDir, 'database'))) ?? '';
    const client = await new mongoose.mongo.MongoClient(uri).connect();
    const untilReady = await commandsOf(client);
    await delay(soonMs);
    const soonAfter = await commandsOf(client);
    let [last, settled] = [0, soonAfter];
    // The poll for due work runs forever: a few commands each second are no work of the start.
    while (settled - last > settledMs / 100) {
      last = settled;
      await delay(settledMs);
      settled = await commandsOf(client);
    }
    const coreMs = coreMsOf(service.pid);
    await client.close();
    return { readyMs, untilReady, soonAfter, settled, coreMs };
  } finally {
    service.signal('SIGTERM');
    await service.ended;
  }
}

/** Commands that the engine has executed, but for those that every connection begins with. */
async function commandsOf(client: mongoose.mongo.MongoClient): Promise<number> {
  const { metrics } = await client.db('admin').command({ serverStatus: 1 });
  const counts: [string, { total?: unknown }][] = Object.entries(metrics.commands);
  const told = counts.filter(([name]) => !['hello', 'isMaster', 'ping', 'serverStatus'].includes(name));
  return told.reduce((sum, [, { total }]) => sum + Number(total ?? 0), 0);
}

/** Core time that a process and its threads have used. */
function coreMsOf(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [utime = 0, stime = 0] = stat
    .slice(stat.lastIndexOf(')') + 2)
    .split(' ')
    .slice(11, 13)
    .map(Number);
  return (utime + stime) * msPerTick;
}
