import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import mongoose, { type Connection } from 'mongoose';
import type { StoredPlan } from '../../src/features/sync/plan/plan-model.js';
import { type ServiceProcess, signInAt, startProcess } from '../boot/service-process.js';
import { buildCrowd, type Crowd, writesByMember } from '../faults/resync-crowd.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort } from '../support/world.js';
import type { Figure } from './figures.js';

/** Two in three have to be changed. */
const crowdSize = 450;
/** A write's duration at Discord, so that the work outlasts many kills. */
const writeMs = 100;
const killWithinMs = 700;
const endWithinMs = 120_000;

/** One resync's measures, killed until it was over or the kills were enough. */
interface KilledResync {
  interrupted: number;
  wrong: number;
  mostWrites: number;
  extraWrites: number;
}

/** Kills the service (kill -9) at `kills` random points in resyncs, and checks the members. */
export async function killFigures(engineUri: string, kills: number): Promise<Figure[]> {
  const rounds: KilledResync[] = [];
  for (let left = kills; left > 0; ) {
    const round = await killedResync(engineUri.replace('/?', `/kills_${rounds.length}?`), left);
    rounds.push(round);
    left -= round.interrupted;
    process.stdout.write(`${round.interrupted} kills: ${round.extraWrites} writes twice, ${round.wrong} wrong\n`);
  }
  const sum = (of: (round: KilledResync) => number) => rounds.reduce((total, round) => total + of(round), 0);
  const mostWrites = Math.max(...rounds.map((round) => round.mostWrites));
  return [
    {
      name: `members wrong after ${sum(({ interrupted }) => interrupted)} kills`,
      measured: sum(({ wrong }) => wrong),
      reference: 0,
      atMost: 1,
      exact: true,
      unit: '',
    },
    { name: 'writes of one member / needed', measured: mostWrites, reference: 1, atMost: 2, unit: '' },
    {
      name: 'writes more than needed / kills',
      measured: sum(({ extraWrites }) => extraWrites),
      reference: sum(({ interrupted }) => interrupted),
      atMost: 1,
      unit: '',
    },
  ];
}

async function killedResync(mongodbUri: string, kills: number): Promise<KilledResync> {
  const [discord, roblox, dataDir, port, database] = await Promise.all([
    startDiscordSandbox({ rateLimits: false }),
    startRobloxSandbox({ rateLimits: false }),
    mkdtemp(join(tmpdir(), 'rolelink-kill-')),
    freePort(),
    mongoose.createConnection(mongodbUri).asPromise(),
  ]);
  try {
    if (!database.db) throw new Error('The database is not connected.');
    const crowd = await buildCrowd(crowdSize, { discord, roblox, database: database.db });
    discord.inject({ match: /^(PUT|DELETE|PATCH) .*\/members\//, delayMs: writeMs });
    const environment = { ...environmentFor({ discord, roblox, port, dataDir, mongodbUri }), LOG_LEVEL: 'info' };
    const signIn = (url: string) => signInAt(url, discord, crowd.ownerId);
    const interrupted = await killUntilDone({ environment, database, crowd, signIn }, kills);
    const wrong = crowd.members.filter(
      ({ chatUserId, expected }) =>
        discord.member(crowd.guildId, chatUserId)?.roleIds.sort().join() !== expected.join(),
    );
    const writes = [...writesByMember(discord).values()];
    const needed = crowd.members.filter(({ differs }) => differs).length;
    const extraWrites = writes.reduce((total, times) => total + times, 0) - needed;
    return { interrupted, wrong: wrong.length, mostWrites: Math.max(...writes), extraWrites };
  } finally {
    await database.dropDatabase();
    await Promise.all([database.close(), discord.stop(), roblox.stop()]);
    await removeFolder(dataDir);
  }
}

interface Stage {
  environment: Record<string, string>;
  database: Connection;
  crowd: Crowd;
  signIn(url: string): Promise<Record<string, string>>;
}

/** Gives how many kills hit an unfinished resync. */
async function killUntilDone(stage: Stage, kills: number): Promise<number> {
  const jobs = stage.database.collection<StoredPlan>('plans');
  let service = await startReady(stage);
  await eventually(() => stage.database.collection('guilds').findOne({ present: true }), 'the guild');
  const jobId = await startResync(service, stage);
  let interrupted = 0;
  while (interrupted < kills) {
    await delay(Math.random() * killWithinMs);
    await kill(service);
    const isOpen = (await jobs.findOne({ _id: jobId }))?.open === true;
    service = await startReady(stage);
    if (!isOpen) break;
    interrupted += 1;
  }
  await eventually(() => jobs.findOne({ _id: jobId, state: 'completed' }), 'the end', endWithinMs);
  await kill(service);
  return interrupted;
}

/** A killed process's leases have expired now, as after ten seconds. */
async function startReady({ environment, database }: Stage): Promise<ServiceProcess> {
  await database.collection('leases').updateMany({}, { $set: { until: new Date(0), owner: '' } });
  const service = startProcess(environment);
  await service.logged('ready');
  return service;
}

async function kill(service: ServiceProcess): Promise<void> {
  service.signal('SIGKILL');
  await service.ended;
}

async function startResync({ url }: ServiceProcess, { crowd, signIn }: Stage): Promise<string> {
  const headers = await signIn(url);
  const post = async (path: string, body: object) => {
    const target = `${url}/api/guilds/${crowd.guildId}/${path}`;
    const answer = await fetch(target, { method: 'POST', headers, body: JSON.stringify(body) });
    if (!answer.ok) throw new Error(`POST ${path}: ${answer.status} ${await answer.text()}`);
    return (await answer.json()) as { jobId: string };
  };
  const condition = { type: 'group_rank', groupId: crowd.groupId, max: 255 };
  await post('groups', { groupId: crowd.groupId });
  await post('mappings', { condition: { ...condition, min: 1 }, roleIds: [crowd.memberRole] });
  await post('mappings', { condition: { ...condition, min: 100 }, roleIds: [crowd.officerRole] });
  return (await post('resync', {})).jobId;
}
