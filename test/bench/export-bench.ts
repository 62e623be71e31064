import { mkdtemp } from 'node:fs/promises';
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
import { removeFolder } from '../support/remove-folder.js';
import { openTestDatabase } from '../support/test-database.js';
import { environmentFor, freePort } from '../support/world.js';
import { fillLog, indexLog } from './bench-log.js';
import { type Figure, inTurns, passes, table } from './figures.js';
import { type MeasuredService, smallHeapMb, startMeasuredService } from './service-process.js';

/** Memory may grow so much with ten times the rows. */
const smallerBy = 10;
const memoryAtMost = 1.2;
/** Of the rows a second that a bare cursor gives. */
const speedAtLeast = 0.7;
/** Factor by which the measured log is smaller than the largest. */
const timedBy = 5;
/** With which a bare cursor is fastest. */
const batchSize = 1_000;

interface Stage {
  database: Db;
  databaseUri: string;
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  ownerId: string;
}

/** `export [--rows N] [--rounds R]`: measures the CSV export of a log. Gives whether every figure is in its bound. */
export async function benchExport(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rows: { type: 'string' }, rounds: { type: 'string' } } });
  const [rows, rounds] = [Number(values.rows ?? '1000000'), Number(values.rounds ?? '7')];
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
    const figures = await measure({ database: connection.db, databaseUri, discord, roblox, ownerId }, rows, rounds);
    say(`\n${table(figures)}`);
    return figures.every(passes);
  } finally {
    await Promise.all([connection.close(), discord.stop(), roblox.stop()]);
    await engine.close();
  }
}

async function measure(stage: Stage, rows: number, rounds: number): Promise<Figure[]> {
  const { database } = stage;
  const [few, some] = [Math.round(rows / smallerBy), Math.round(rows / timedBy)];
  const [small, middle, large] = [
    await fillGuild(stage, few),
    await fillGuild(stage, some),
    await fillGuild(stage, rows),
  ];
  await indexLog(database);
  say('The reader runs in the bench’s process, the database and the service in one each. Peaks are of a small heap.');
  const smallHeap = { heapMb: smallHeapMb };
  const reference = await withService(stage, (service) => peakOf(service, small, few), smallHeap);
  const measured = await withService(stage, (service) => peakOf(service, large, rows), smallHeap);
  const memory = { name: `peak memory, ${rows} / ${few} rows`, measured, reference, atMost: memoryAtMost, unit: 'MB' };
  const { a, b } = await withService(stage, (service) =>
    inTurns(
      rounds,
      () => exportFrom(service, middle, some),
      () => readBare(database, middle, some),
    ),
  );
  const perSecond = (times: readonly number[]) => times.map((ms) => Math.round(some / (ms / 1000)));
  const speed = { name: `export of ${some} rows / bare cursor`, atLeast: speedAtLeast, unit: 'rows/s' };
  return [memory, { ...speed, measured: perSecond(a), reference: perSecond(b) }];
}

/** A guild with this number of log entries. @returns its id */
async function fillGuild({ database, discord, ownerId }: Stage, entries: number): Promise<string> {
  const { id } = discord.addGuild({ name: `With ${entries}`, ownerId });
  await fillLog(database, id, entries);
  return id;
}

interface Service {
  url: string;
  headers: Record<string, string>;
  probe: MeasuredService['probe'];
}

/** Does something with a fresh service. */
async function withService<T>(
  { databaseUri, discord, roblox, ownerId }: Stage,
  work: (service: Service) => Promise<T>,
  options: { heapMb?: number } = {},
): Promise<T> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const port = await freePort();
  const { url, probe } = await startMeasuredService(
    environmentFor({ discord, roblox, port, dataDir, mongodbUri: databaseUri }),
    options,
  );
  try {
    return await work({ url, headers: await signInAt(url, discord, ownerId), probe });
  } finally {
    await probe.kill();
    await removeFolder(dataDir);
  }
}

/** The service's largest memory, in MB, while it exports a guild's log. */
async function peakOf(service: Service, guildId: string, rows: number): Promise<number> {
  await service.probe.ask('begin', null);
  await exportFrom(service, guildId, rows);
  return (await service.probe.ask('read', null)).peakMemory;
}

/** Exports a guild's log over HTTP. @returns how long it took, in ms */
async function exportFrom({ url, headers }: Service, guildId: string, rows: number): Promise<number> {
  const startedAt = performance.now();
  const answer = await fetch(`${url}/api/guilds/${guildId}/logs/export`, { headers });
  const lines = await countLines(answer);
  // The header, and the entries from the service's start: the bot's arrival, and a sign-in.
  if (answer.status !== 200 || lines < rows + 1 || lines > rows + 5) throw new Error(`${lines} lines came.`);
  return performance.now() - startedAt;
}

async function countLines({ body }: Response): Promise<number> {
  if (body === null) throw new Error('There is no answer.');
  let lines = 0;
  for await (const chunk of body) {
    for (let at = chunk.indexOf(10); at !== -1; at = chunk.indexOf(10, at + 1)) lines += 1;
  }
  return lines;
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

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
