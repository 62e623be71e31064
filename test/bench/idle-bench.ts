import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { logger } from '../../src/lib/logger.js';
import { startProcess } from '../boot/service-process.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { environmentFor, freePort } from '../support/world.js';
import { type Figure, passes, table } from './figures.js';

/** The work of the start is over by then. */
const settledAfterMs = 60_000;
/** Linux counts the time of a core in hundredths of a second. */
const msPerTick = 10;

/**
 * `idle [--seconds 120]`: the share of a core that an idle service with the embedded engine uses, without servers or
 * people, by Linux's count. Returns whether it is within 1 %, the engine's process included.
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
  const service = startProcess({ ...environmentFor({ discord, roblox, port, dataDir }), LOG_LEVEL: 'info' });
  try {
    await service.logged('ready', 60_000);
    const engines = readFileSync(`/proc/${service.pid}/task/${service.pid}/children`, 'utf8').trim().split(' ');
    await delay(settledAfterMs);
    const coreMs = () => [coreMsOf(service.pid), engines.reduce((sum, pid) => sum + coreMsOf(pid), 0)] as const;
    const startedAt = performance.now();
    const before = coreMs();
    await delay(seconds * 1_000);
    const after = coreMs();
    const wall = { reference: Math.round(performance.now() - startedAt), unit: 'ms' };
    const [ofService, ofEngine] = [after[0] - before[0], after[1] - before[1]];
    const figures: Figure[] = [
      { name: 'time of a core, service / wall', measured: ofService, ...wall },
      { name: 'time of a core, engine / wall', measured: ofEngine, ...wall },
      { name: 'time of a core, both / wall', measured: ofService + ofEngine, ...wall, atMost: 0.01 },
    ];
    process.stdout.write(`${table(figures)}\n`);
    return figures.every(passes);
  } finally {
    service.signal('SIGTERM');
    await service.ended;
    await Promise.all([discord.stop(), roblox.stop()]);
    await rm(dataDir, { recursive: true, force: true });
  }
}

/** Core time that a process and its threads have used. */
function coreMsOf(pid: number | string): number {
  const afterName = readFileSync(`/proc/${pid}/stat`, 'utf8').split(') ')[1]?.split(' ') ?? [];
  const [user, system] = [afterName[11], afterName[12]];
  return (Number(user) + Number(system)) * msPerTick;
}
