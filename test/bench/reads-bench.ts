import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { Pool } from 'undici';
import { logger } from '../../src/lib/logger.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { removeFolder } from '../support/remove-folder.js';
import { openTestDatabase } from '../support/test-database.js';
import { environmentFor, freePort } from '../support/world.js';
import { type Figure, inTurns, passes, table } from './figures.js';
import type { readsBareVerbs } from './reads-bare.js';
import { type BenchRequest, type BenchSide, fillReads } from './reads-guild.js';
import type { readsServiceVerbs } from './reads-service.js';
import { RemoteProcess } from './remote-process.js';

/** Maximum concurrent requests. */
const atOnce = 8;
/** As a share of the bare server's requests a second. */
const speedAtLeast = { reads: 0.7, writes: 0.45, syncs: 0.6 };

/**
 * `reads [--rounds R] [--requests N] [--only WORDS]`: the reads that bots and pages make most, against the same reads with
 * node:http and the driver alone, by turns. Gives whether every figure is in its bound.
 */
export const benchReads = (args: string[]): Promise<boolean> => benchRequests('reads', args);

/**
 * `writes`, with the same options: writes with all their work, against the same authentication, the same reads and
 * platform calls, and one write.
 */
export const benchWrites = (args: string[]): Promise<boolean> => benchRequests('writes', args);

async function benchRequests(kind: 'reads' | 'writes', args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { rounds: option, requests: option, only: option } });
  const [rounds, requests] = [Number(values.rounds ?? '7'), Number(values.requests ?? '1000')];
  logger.level = 'silent';
  const engine = await openTestDatabase();
  const databaseUri = engine.uri.replace('/?', '/reads?');
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const [discord, roblox, port] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
    freePort(),
  ]);
  const silent = { output: 'ignore' } as const;
  const service = new RemoteProcess<typeof readsServiceVerbs>(new URL('./reads-service.js', import.meta.url), silent);
  const bare = new RemoteProcess<typeof readsBareVerbs>(new URL('./reads-bare.js', import.meta.url));
  try {
    const environment = {
      ...environmentFor({ discord, roblox, port, dataDir, mongodbUri: databaseUri }),
      LOG_LEVEL: 'info',
    };
    const guild = await fillReads(environment, { discord, roblox });
    const sides = {
      service: { process: service, pool: new Pool(await service.ask('start', environment), { connections: atOnce }) },
      bare: {
        process: bare,
        pool: new Pool(await bare.ask('start', { databaseUri, secret: guild.tokenSecret, environment }), {
          connections: atOnce,
        }),
      },
    };
    await guild.isKnown();
    const figures: Figure[] = [];
    for (const [name, read] of Object.entries(guild[kind])) {
      if (!name.includes(values.only ?? '')) continue;
      figures.push(
        ...(await compare(name, read, sides, {
          rounds,
          requests,
          atLeast: speedAtLeast[read.method === 'POST' ? 'syncs' : kind],
        })),
      );
    }
    process.stdout.write(`\n${table(figures)}\n`);
    return figures.every(passes);
  } finally {
    await Promise.all([service.kill(), bare.kill(), discord.stop(), roblox.stop()]);
    await removeFolder(dataDir);
    await engine.close();
  }
}

interface Side {
  process: { ask(verb: 'worked', argument: null): Promise<number> };
  pool: Pool;
}

async function compare(
  name: string,
  read: BenchRequest,
  { service, bare }: { service: Side; bare: Side },
  { rounds, requests, atLeast }: { rounds: number; requests: number; atLeast: number },
): Promise<Figure[]> {
  const workOf = async (side: BenchSide, { process, pool }: Side) => {
    const [worked, startedAt] = [await process.ask('worked', null), performance.now()];
    await send(pool, read, { requests, side });
    const seconds = (performance.now() - startedAt) / 1_000;
    return { perSecond: requests / seconds, work: ((await process.ask('worked', null)) - worked) / requests };
  };
  const { a, b } = await inTurns(
    rounds,
    () => workOf('service', service),
    () => workOf('bare', bare),
  );
  return [
    {
      name,
      measured: a.map(({ perSecond }) => perSecond),
      reference: b.map(({ perSecond }) => perSecond),
      atLeast,
      unit: '/s',
    },
    {
      name: '  time of a core for one',
      measured: a.map(({ work }) => work),
      reference: b.map(({ work }) => work),
      unit: 'µs',
    },
  ];
}

/** Makes each write differ from the stored value. */
let sent = 0;

async function send(
  pool: Pool,
  { headers, method = 'GET', isAsMeant, ...request }: BenchRequest,
  { requests, side }: { requests: number; side: BenchSide },
): Promise<void> {
  let left = requests;
  const one = async (): Promise<void> => {
    for (; left > 0; ) {
      left -= 1;
      sent += 1;
      const part = request.of?.(sent, side) ?? {};
      const path = part.path ?? request.path ?? '';
      const answer = await pool.request({ method, path, headers, body: part.body ?? null });
      const text = await answer.body.text();
      const isFine = answer.statusCode === 200 && (side === 'bare' || isAsMeant === undefined || isAsMeant(text));
      if (!isFine) throw new Error(`${method} ${path}: ${answer.statusCode} ${text}`);
    }
  };
  await Promise.all(Array.from({ length: request.atOnce ?? atOnce }, one));
}
