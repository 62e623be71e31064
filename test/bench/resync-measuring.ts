import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import type { StoredPlan } from '../../src/features/sync/plan/plan-model.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { removeFolder } from '../support/remove-folder.js';
import type { BenchGuild } from './bench-guild.js';
import { RemoteProcess } from './remote-process.js';
import type { sandboxVerbs } from './sandbox-child.js';
import { type MeasuredService, smallHeapMb, startMeasuredService } from './service-process.js';

const sandboxScript = new URL('./sandbox-child.js', import.meta.url);
/** The sandbox's limit windows are this long at most: after it nothing from before counts. */
const longestWindowMs = 10_000;
const idleUpdatesMs = 100_000;
/** A 95th percentile over fewer says little. */
const leastUpdates = 100;
/** With this many changes for each /update a resync lasts long enough; a guild has few resyncs an hour. */
const peopleForEach = 10;

type Sandbox = RemoteProcess<typeof sandboxVerbs>;
type Requests = ReturnType<typeof sandboxVerbs.requests>;

export interface ResyncMeasures {
  guild: BenchGuild;
  /** Members out of step before it: the rank watch may have been quicker with some. */
  differing: number;
  limits: ReturnType<typeof sandboxVerbs.limits>;
  /** Until the first write was due, and from then to the end, in ms. */
  planningMs: number;
  applyingMs: number;
  /** Sent while planning, and in all. */
  planned: Requests;
  all: Requests;
  /** Members out of step after it. */
  wrong: number;
  /** How long each /update took, in ms; of which all gave a role back. */
  idleUpdates: number[];
  busyUpdates: number[];
  /** During further resyncs, from their first second on, until there are enough with the first's. */
  laterUpdates: number[];
  load: { delayP99: number; delayMax: number; peakMemory: number };
}

export interface MeasuringOptions {
  members: number;
  /** By how much single endpoints' limits are multiplied. */
  scale: number;
  /** How often people use /update; not at all when left out. */
  updateEveryMs?: number;
}

/** Fills a guild, starts the service on it, resyncs it and measures. `engineUri` is a running engine's. */
export async function measureResync(engineUri: string, options: MeasuringOptions): Promise<ResyncMeasures> {
  const databaseUri = engineUri.replace('/?', `/resync_${options.members}?`);
  const sandbox: Sandbox = new RemoteProcess(sandboxScript, { args: [String(options.scale)] });
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const database = await mongoose.createConnection(databaseUri).asPromise();
  let service: MeasuredService | undefined;
  try {
    const guild = await sandbox.ask('fill', { members: options.members, databaseUri });
    const environment = {
      ...(await sandbox.ask('environment', null)),
      PORT: String(await freePort()),
      DATA_DIR: dataDir,
      MONGODB_URI: databaseUri,
      LOG_LEVEL: 'error',
      DEFAULT_PLAN: 'enterprise',
    };
    service = await startMeasuredService(environment, { heapMb: smallHeapMb });
    while (!(await database.collection('guilds').findOne({ present: true }))) await delay(50);
    // The new session's reconciliation would leave nothing for the resync to do.
    await database.collection('guilds').updateMany({}, { $unset: { catchUpSince: 1, catchUpAt: 1 } });
    return await lookOn({ sandbox, service, database, guild }, options);
  } finally {
    await Promise.all([service?.probe.kill(), sandbox.kill()]);
    await database.dropDatabase();
    await database.close();
    await removeFolder(dataDir);
  }
}

interface Stage {
  sandbox: Sandbox;
  service: MeasuredService;
  database: Connection;
  guild: BenchGuild;
}

async function lookOn(stage: Stage, { updateEveryMs }: MeasuringOptions): Promise<ResyncMeasures> {
  const { sandbox, service, guild } = stage;
  const post = await teamCaller(stage);
  const condition = { type: 'group_rank', groupId: guild.groupId, max: 255 };
  await post('groups', { groupId: guild.groupId });
  await post('mappings', { condition: { ...condition, min: 1 }, roleIds: [guild.memberRole] });
  await post('mappings', { condition: { ...condition, min: 100 }, roleIds: [guild.officerRole] });
  const idleUpdates = updateEveryMs === undefined ? [] : await updatesWhileIdle(sandbox, updateEveryMs);
  await sandbox.ask('forgetRequests', null);
  const differing = await sandbox.ask('wrong', null);
  await service.probe.ask('begin', null);
  const startedAt = performance.now();
  const { jobId } = await post('resync', {});
  await jobWhere(stage, jobId, ({ phase, open }) => phase === 'applying' || open !== true);
  const appliesAt = performance.now();
  const planned = await sandbox.ask('requests', null);
  if (updateEveryMs !== undefined) await sandbox.ask('beginUpdates', { everyMs: updateEveryMs });
  const job = await jobWhere(stage, jobId, ({ open }) => open !== true);
  const endedAt = performance.now();
  const load = await service.probe.ask('read', null);
  const busyUpdates = await sandbox.ask('endUpdates', null);
  if (job.state !== 'completed') throw new Error(`The resync has ended ${job.state}: ${JSON.stringify(job.error)}`);
  const seen = {
    guild,
    differing,
    limits: await sandbox.ask('limits', null),
    planningMs: appliesAt - startedAt,
    applyingMs: endedAt - appliesAt,
    planned,
    all: await sandbox.ask('requests', null),
    wrong: await sandbox.ask('wrong', null),
  };
  const laterUpdates: number[] = [];
  const missing = () => leastUpdates - busyUpdates.length - laterUpdates.length;
  while (updateEveryMs !== undefined && missing() > 0) {
    laterUpdates.push(...(await updatesDuringAnother(stage, post, { everyMs: updateEveryMs, updates: missing() })));
  }
  return { ...seen, idleUpdates, busyUpdates, laterUpdates, load };
}

/** Puts people out of step, and resyncs them again, with /update from the first second on. */
async function updatesDuringAnother(
  stage: Stage,
  post: TeamCall,
  { everyMs, updates }: { everyMs: number; updates: number },
): Promise<number[]> {
  await stage.sandbox.ask('takeRoles', { count: peopleForEach * updates });
  await delay(longestWindowMs);
  await stage.sandbox.ask('beginUpdates', { everyMs });
  const { jobId } = await post('resync', {});
  await jobWhere(stage, jobId, ({ open }) => open !== true);
  return stage.sandbox.ask('endUpdates', null);
}

type TeamCall = Awaited<ReturnType<typeof teamCaller>>;

/** A caller to the guild's API as its owner. */
async function teamCaller({ sandbox, service, guild }: Stage) {
  const headers = await sandbox.ask('signIn', { url: service.url, chatUserId: guild.ownerId });
  return async (path: string, body: object): Promise<{ jobId: string }> => {
    const url = `${service.url}/api/guilds/${guild.guildId}/${path}`;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { jobId: string };
  };
}

/** The first ones, which the process has to warm up for, are left out. */
async function updatesWhileIdle(sandbox: Sandbox, everyMs: number): Promise<number[]> {
  const during = async (ms: number) => {
    await sandbox.ask('beginUpdates', { everyMs });
    await delay(ms);
    return sandbox.ask('endUpdates', null);
  };
  await during(idleUpdatesMs / 20);
  const taken = await during(idleUpdatesMs);
  await delay(longestWindowMs);
  return taken;
}

async function jobWhere({ database }: Stage, jobId: string, passes: (job: StoredPlan) => boolean): Promise<StoredPlan> {
  for (;;) {
    const job = await database.collection<StoredPlan>('plans').findOne({ _id: jobId });
    if (job !== null && passes(job)) return job;
    if (job?.awaitingConfirmation) throw new Error('The resync is held back, as too many would lose roles.');
    await delay(20);
  }
}
