import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import type { Db } from 'mongodb';
import mongoose from 'mongoose';
import type { AuditEntry } from '../../src/core/audit/audit-model.js';
import { logger } from '../../src/lib/logger.js';
import { signInAt } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { openTestDatabase } from '../support/test-database.js';
import { environmentFor, freePort } from '../support/world.js';
import { fillLog, indexLog } from './bench-log.js';
import { type Figure, passes, table } from './figures.js';
import { startMeasuredService } from './service-process.js';

/** Memory may grow so much with ten times the rows. */
const smallerBy = 10;
const memoryAtMost = 1.2;
/** Of the rows a second that a bare cursor gives. */
const speedAtLeast = 0.45;
/** With which a bare cursor is fastest. */
const batchSize = 1_000;

interface Stage {
  database: Db;
  databaseUri: string;
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  ownerId: string;
}

/** `export [--rows N]`: measures the CSV export of a log. Gives whether every figure is in its bound. */
export async function benchExport(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rows: { type: 'string' } } });
  const rows = Number(values.rows ?? '1000000');
  logger.level = 'silent';
  const engine = await openTestDatabase();
  const databaseUri = engine.uri.replace('/?', '/export?');
  const [discord, roblox, connection] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
    mongoose.createConnection(databaseUri).asPromise(),
  ]);
  try {
    if (!connection.db) throw new Error('The database is not connected.');
    const { id: ownerId } = discord.addUser({ username: 'bench.owner' });
    const figures = await measure({ database: connection.db, databaseUri, discord, roblox, ownerId }, rows);
    say(`\n${table(figures)}`);
    return figures.every(passes);
  } finally {
    await Promise.all([connection.close(), discord.stop(), roblox.stop()]);
    await engine.close();
  }
}

async function measure(stage: Stage, rows: number): Promise<Figure[]> {
  const { database, discord, ownerId } = stage;
  const fewer = Math.round(rows / smallerBy);
  const [{ id: smallGuild }, { id: largeGuild }] = [
    discord.addGuild({ name: 'Small', ownerId }),
    discord.addGuild({ name: 'Large', ownerId }),
  ];
  await fillLog(database, smallGuild, fewer);
  await fillLog(database, largeGuild, rows);
  await indexLog(database);
  say('The database and the reader run in the bench’s process, the service in another, with the same small heap.');
  const small = await exportFrom(stage, smallGuild, fewer);
  // Before and after, and the better of both: what else the machine does changes in the meantime.
  const before = await readBare(database, largeGuild, rows);
  const large = await exportFrom(stage, largeGuild, rows);
  const bareMs = Math.min(before, await readBare(database, largeGuild, rows));
  say(`A bare cursor with plain joins: ${perSecond(rows, bareMs)}.`);
  return [
    {
      name: `peak memory, ${rows} / ${fewer} rows`,
      measured: large.peakMemory,
      reference: small.peakMemory,
      atMost: memoryAtMost,
      unit: 'MB',
    },
    {
      name: `export of ${rows} rows / bare cursor`,
      measured: large.ms / 1000,
      reference: bareMs / 1000,
      atMost: Number((1 / speedAtLeast).toFixed(2)),
      unit: 's',
    },
  ];
}

/** Exports a guild's log over HTTP from a fresh service: how long it took, and the service's largest memory. */
async function exportFrom(
  { databaseUri, discord, roblox, ownerId }: Stage,
  guildId: string,
  rows: number,
): Promise<{ ms: number; peakMemory: number }> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const port = await freePort();
  const { url, probe } = await startMeasuredService(
    environmentFor({ discord, roblox, port, dataDir, mongodbUri: databaseUri }),
  );
  try {
    const headers = await signInAt(url, discord, ownerId);
    await probe.ask('begin', null);
    const startedAt = performance.now();
    const answer = await fetch(`${url}/api/guilds/${guildId}/logs/export`, { headers });
    const [lines, bytes] = await countLines(answer);
    const ms = performance.now() - startedAt;
    const { peakMemory } = await probe.ask('read', null);
    // The header, and what came with the start of the service: that the bot is in the guild, and that somebody signed in.
    if (answer.status !== 200 || lines < rows + 1 || lines > rows + 5) throw new Error(`${lines} lines came.`);
    const megabytes = (bytes / 1024 / 1024).toFixed(0);
    say(`${rows} rows, ${megabytes} MB: ${perSecond(rows, ms)}; peak memory ${peakMemory.toFixed(0)} MB.`);
    return { ms, peakMemory };
  } finally {
    await probe.kill();
    await rm(dataDir, { recursive: true, force: true });
  }
}

async function countLines({ body }: Response): Promise<[lines: number, bytes: number]> {
  if (body === null) throw new Error('There is no answer.');
  let [lines, bytes] = [0, 0];
  for await (const chunk of body) {
    bytes += chunk.byteLength;
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return [lines, bytes];
}

/** The least that makes lines of a log: the driver's cursor, and the fields of each entry joined as they are. */
async function readBare(database: Db, guildId: string, rows: number): Promise<number> {
  const startedAt = performance.now();
  let [count, characters] = [0, 0];
  const cursor = database
    .collection<AuditEntry>('audit_log')
    .find({ guildId }, { sort: { at: -1, _id: -1 }, batchSize });
  for await (const { _id, at, actor, action, target, changes, requestId } of cursor) {
    const { kind, id, name } = target;
    const cells = [_id, at.toISOString(), actor.kind, actor.id, actor.name, action, kind, id, name];
    characters += [...cells, JSON.stringify(changes), requestId].join(',').length;
    count += 1;
  }
  if (count < rows || characters === 0) throw new Error(`${count} rows were read.`);
  return performance.now() - startedAt;
}

const perSecond = (rows: number, ms: number): string =>
  `${(ms / 1000).toFixed(1)} s, ${Math.round(rows / (ms / 1000))} rows a second`;

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
