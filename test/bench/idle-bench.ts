import { type ChildProcess, spawn } from 'node:child_process';
import { readdirSync, readFileSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { logger } from '../../src/lib/logger.js';
import { openEmbeddedEngine } from '../../src/platforms/database/embedded-engine.js';
import { startProcess } from '../boot/service-process.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort } from '../support/world.js';
import { type Figure, passes, table } from './figures.js';

/** The work of the start is over by then. */
const settledAfterMs = 60_000;
/** The interval at which the service, too, looks how late its event loop is. */
const timerMs = 100;
const nsPerMs = 1e6;
/** The most that both may take, in core time of a process and an engine that do nothing. */
const mostIdle = 6;

/**
 * `idle [--seconds 120]`: the core time of an idle service with the embedded engine, without servers or people, against a
 * Node process with one timer and an engine without a service, in the same seconds. Returns whether it is within bound.
 */
export async function benchIdle(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { seconds: { type: 'string' } } });
  const seconds = Number(values.seconds ?? '120');
  logger.level = 'silent';
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const [discord, roblox, port] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
    freePort(),
  ]);
  const idleEngine = await openEmbeddedEngine(join(dataDir, 'idle'));
  const [enginePid = ''] = childrenOf(process.pid);
  const timer = spawn(process.execPath, ['-e', `setInterval(() => {}, ${timerMs})`], { stdio: 'ignore' });
  const service = startProcess({ ...environmentFor({ discord, roblox, port, dataDir }), LOG_LEVEL: 'info' });
  try {
    await service.logged('ready', 120_000);
    const [ownEngine = ''] = childrenOf(service.pid);
    await delay(settledAfterMs);
    const all = [service.pid, ownEngine, pidOf(timer), enginePid];
    const before = all.map(coreMsOf);
    await delay(seconds * 1_000);
    const [ofService = 0, ofEngine = 0, ofTimer = 0, ofIdleEngine = 0] = all.map(
      (pid, at) => coreMsOf(pid) - (before[at] ?? 0),
    );
    const wall = { reference: seconds * 1_000, unit: 'ms' };
    const both = ofService + ofEngine;
    const figures: Figure[] = [
      { name: 'core time, service / Node with one timer', measured: ofService, reference: ofTimer, unit: 'ms' },
      { name: 'core time, engine / engine alone', measured: ofEngine, reference: ofIdleEngine, unit: 'ms' },
      { name: 'core time, both', measured: both, reference: ofTimer + ofIdleEngine, unit: 'ms', atMost: mostIdle },
      { name: 'core time, both / wall', measured: both, ...wall },
    ];
    process.stdout.write(`${table(figures)}\n`);
    return figures.every(passes);
  } finally {
    timer.kill();
    service.signal('SIGTERM');
    await service.ended;
    await Promise.all([discord.stop(), roblox.stop(), idleEngine.close()]);
    await removeFolder(dataDir);
  }
}

const childrenOf = (pid: number): string[] =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, 'utf8').trim().split(' ');

function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('The process was not started.');
  return pid;
}

/** Core time that a process's threads have used. */
function coreMsOf(pid: number | string): number {
  const tasks = readdirSync(`/proc/${pid}/task`);
  const spent = tasks.map((task) => Number(readFileSync(`/proc/${pid}/task/${task}/schedstat`, 'utf8').split(' ')[0]));
  return spent.reduce((sum, ns) => sum + ns, 0) / nsPerMs;
}
