import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { untoldIn } from '../crashes/crash-house.js';
import { startReceiver } from '../features/webhooks/receiver.js';
import { ModelService } from '../model/model-service.js';
import { settle } from '../model/play.js';
import { askOwner, buildStage, type Stage } from '../model/stage.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { shardOf } from '../sandbox/discord/snowflakes.js';
import { diceOf } from '../sandbox/other-bot.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { openTestDatabase } from '../support/test-database.js';
import { LimitReader } from './limit-reader.js';
import {
  atAge,
  errorsIn,
  gainOf,
  growthOf,
  judgeLog,
  longestLife,
  riseOf,
  type Sample,
  tableOf,
} from './soak-figures.js';
import { type Kill, killAtRandom, playStage, Subscriber, stepsOf, tidy, unsuspendAll } from './soak-traffic.js';
import { Station } from './station.js';
import { TwoServices } from './two-services.js';

// `npm run test:soak`: an hour (`--minutes`) of real life on two processes, either of which is killed at random, from
// the seed 1 (`--seed`). Exit code 1 when a change is lost or told twice, someone has other roles than the oracle says,
// work is pending at the end, memory grows, or an error was logged.

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
const [stagesPlayed, stationsPlayed, stepEveryMs, sampleEveryMs] = [3, 2, 700, 20_000];
const crowdOf = { people: 60, strangers: 20 };
/** A write at Discord takes this long, so that kills come in between. */
const writeMs = 40;
/** Lives are compared at this age, counted from the moment of readiness; a life shorter than the other shows no growth. */
const [comparedAgeMs, leastLifeMs] = [60_000, 1_200_000];
/**
 * What is under way moves live memory by 2 to 3 MB from sample to sample, in a long life as in a short one. So both
 * bounds are in MB, not in MB an hour: what the line gains in the later half of the longest life, and what later lives
 * have at one age more than earlier ones. A leak of 500 bytes a read at the limit makes 4 MB in the 13 minutes that this
 * half has in an hour's run. One of half that size needs a run of two hours.
 */
const mostGainMb = 3;
/** Fewer lives have no medians to compare. */
const leastLives = 6;
/** A shorter run may end before a token was at its limit. */
const limitIsMetAfterMinutes = 10;
const mostSettles = 5;
/** The subscriber fails at the end of each this many minutes. */
const [failsEveryMs, failsForMs] = [240_000, 25_000];

// The service's processes end with this one.
process.once('SIGTERM', () => process.exit(1));
const say = (text: string) => process.stdout.write(`${text}\n`);
const folder = mkdtempSync(join(tmpdir(), 'rolelink-soak-'));
const logPaths = [0, 1].map((number) => join(folder, `log${number}`));
say(`${minutes} minutes of seed ${seed}; logs in ${folder}`);
const engine = await openTestDatabase();
const [discord, roblox, receiver] = await Promise.all([
  startDiscordSandbox({ rateLimits: false }),
  startRobloxSandbox({ rateLimits: false }),
  startReceiver(),
]);
/** Both processes read what the other has sealed. */
const keys = {
  SECRETS_KEY: Buffer.alloc(32, 7).toString('base64'),
  BOT_TOKEN_KEYS: `soak:${'k'.repeat(32)}`,
};
const prepare = (number: number) =>
  ModelService.prepare({ discord, roblox }, engine.uri, `soak_${process.pid}`, {
    logFile: openSync(logPaths[number] ?? '', 'a'),
    adapt: (usual) => ({ ...usual, ...keys, SHARDS: `${number}-${number}/2` }),
  });
const services = new TwoServices([await prepare(0), await prepare(1)], `soak-${seed}`);
await services.start();
const subscriber = new Subscriber(receiver);

const stages: Stage[] = [];
for (let number = 0; number < stagesPlayed; number += 1) {
  const stage = await buildStage({ discord, roblox }, services, { ranks: true });
  const universeIds = [roblox.addUniverse().id];
  for (const guild of stage.confirmed.guilds) {
    await subscriber.subscribe(services, guild.owner, guild.guildId);
    const { status } = await askOwner(stage, guild, 'PUT', '/settings', { ...guild.settings, universeIds });
    if (status !== 200) throw new Error(`No messages to games: ${status}`);
    guild.settings = { ...guild.settings, universeIds };
  }
  stages.push(stage);
}
const stations: Station[] = [];
for (const shard of Array.from({ length: stationsPlayed }, (_, index) => index % 2)) {
  let station = await Station.build({ discord, roblox }, services, crowdOf);
  while (shardOf(station.crowd.guildId, 2) !== shard) {
    discord.removeBot(station.crowd.guildId);
    station = await Station.build({ discord, roblox }, services, crowdOf);
  }
  const { guildId, ownerId } = station.crowd;
  await subscriber.subscribe(services, { id: ownerId, username: 'owner' }, guildId);
  stations.push(station);
}
discord.inject({ match: /^(PUT|DELETE|PATCH) .*\/members\//, delayMs: writeMs });

const begun = Date.now();
const end = begun + minutes * 60_000;
const isOver = () => Date.now() >= end;
const kills: Kill[] = [];
const done: Record<string, number> = {};
const problems: string[] = [];
const samples: [Sample[], Sample[]] = [[], []];
const late = monitorEventLoopDelay({ resolution: 10 });
late.enable();

async function measure(): Promise<void> {
  const at = Date.now() - begun;
  for (const [number, service] of services.both.entries()) {
    if (!services.isReady(service)) continue;
    const own = kills.filter(({ process }) => process === number);
    const since = own.at(-1);
    const born = since === undefined ? 0 : since.readyAt - begun;
    const measured = await service.measure().catch(() => undefined);
    if (measured !== undefined) samples[number]?.push({ at, life: own.length, ageMs: at - born, ...measured });
  }
}

async function sampling(): Promise<void> {
  for (let turn = 0; !isOver(); turn += 1) {
    await measure();
    discord.forgetRequests();
    roblox.forgetRequests();
    if (turn % 3 === 0) {
      await tidy(services);
      const [first, second] = samples.map(
        (of) => `${of.at(-1)?.liveMb.toFixed(1)}/${of.at(-1)?.residentMb.toFixed(0)}`,
      );
      const wrong = [...problems, ...stages.flatMap((stage) => stage.problems), ...stations.flatMap((s) => s.problems)];
      say(
        `${Math.round((Date.now() - begun) / 60_000)} min: ${kills.length} kills, ${services.acknowledged.length} changes, lost answers ${JSON.stringify(services.lost)}, ${subscriber.taken.size} deliveries, MB ${first} and ${second}, problems ${wrong.length} ${wrong.at(-1) ?? ''}`,
      );
    }
    await delay(sampleEveryMs);
  }
}

async function failing(): Promise<void> {
  for (; !isOver(); await delay(500))
    subscriber.isFailing = (Date.now() - begun) % failsEveryMs > failsEveryMs - failsForMs;
  subscriber.isFailing = false;
}

async function rounds(station: Station): Promise<void> {
  while (!isOver()) {
    await station.round().catch((error: unknown) => {
      problems.push(`${station.crowd.guildId}: ${error instanceof Error ? error.message : String(error)}`);
    });
  }
}

const count = (kind: string): void => {
  done[kind] = (done[kind] ?? 0) + 1;
};
const [station] = stations;
if (station === undefined) throw new Error('Nothing is read.');
const reader = new LimitReader(services, services.both[0], station);
const seen = await Promise.all([
  reader.readUntil(isOver).then(() => []),
  ...stages.map((stage, index) =>
    playStage(stage, stepsOf(seed * 10 + index), { everyMs: stepEveryMs, isOver, count }),
  ),
  killAtRandom(services, diceOf(seed), { begun, end, kills }).then(() => []),
  sampling().then(() => []),
  failing().then(() => []),
  ...stations.map((station) => rounds(station).then(() => [])),
]);
problems.push(...seen.flat(), ...reader.problems);
await services.start();
await measure();
late.disable();
await unsuspendAll(stages);

// Without passing time: what is told must be told by the product's own clock.
await eventually(async () => (await untoldIn(services.db)).length === 0, 'the last event', 240_000).catch(async () =>
  problems.push(`not told: ${(await untoldIn(services.db)).join().slice(0, 2_000)}`),
);
const told = await subscriber.judge(services);
const log = await judgeLog(services);
for (const station of stations) problems.push(...(await station.judge()));
// Before time is passed: a day in a moment looks to every watch like a day of standstill.
const errors = logPaths.flatMap((path) => errorsIn(readFileSync(path, 'utf8')));
let left = (await settle(stages)).flat();
for (let tries = 1; tries < mostSettles && left.length > 0; tries += 1) left = (await settle(stages)).flat();
problems.push(...left);
for (const stage of stages) {
  for (const guild of stage.confirmed.guilds) {
    const ids = async () =>
      (
        await services.db
          .collection<{ _id: string }>('mappings')
          .find({ guildId: guild.guildId, removedAt: { $exists: false } })
          .toArray()
      ).map(({ _id }) => _id);
    const [stored, wanted] = [
      (await ids()).sort().join(),
      guild.mappings
        .map(({ mappingId }) => mappingId)
        .sort()
        .join(),
    ];
    if (stored !== wanted) problems.push(`${guild.guildId} has the mappings ${stored}, not ${wanted}`);
  }
}
await eventually(async () => (await untoldIn(services.db)).length === 0, 'the last event of all', 120_000).catch(
  async () => problems.push(`not told at the end: ${(await untoldIn(services.db)).join().slice(0, 2_000)}`),
);

const mb = (sample: Sample | undefined) =>
  `${sample?.liveMb.toFixed(1)} live, ${sample?.residentMb.toFixed(0)} resident`;
const memory = samples.flatMap((of, number): [string, string][] => {
  const { whole, later } = longestLife(of);
  const lifeMs = whole.at(-1)?.ageMs ?? 0;
  const [growth, gain] = [growthOf(later), gainOf(later)];
  if (lifeMs >= leastLifeMs && gain > mostGainMb)
    problems.push(`process ${number} gains ${gain.toFixed(1)} MB, which are ${growth.toFixed(1)} MB an hour`);
  const ages = atAge(of, comparedAgeMs);
  const rise = riseOf(ages);
  if (ages.length >= leastLives && rise > mostGainMb)
    problems.push(`process ${number} has ${rise.toFixed(1)} MB more a minute after its later starts`);
  const [worst, most] = [
    Math.max(...of.map(({ delayP99Ms }) => delayP99Ms)),
    Math.max(...of.map(({ delayMaxMs }) => delayMaxMs)),
  ];
  return [
    [`process ${number}: MB begin, middle, end`, [of[0], of[Math.floor(of.length / 2)], of.at(-1)].map(mb).join('; ')],
    [
      `process ${number}: growth in the later half of its longest life`,
      `${gain.toFixed(1)} MB, ${growth.toFixed(1)} MB an hour (${Math.round(lifeMs / 60_000)} min)`,
    ],
    [`process ${number}: live MB a minute after each start`, ages.map((each) => each.toFixed(1)).join(' ')],
    [`process ${number}: event loop late, p99 and most`, `${worst.toFixed(0)} ms, ${most.toFixed(0)} ms`],
  ];
});
const readyMs = kills.map((kill) => kill.readyMs).sort((a, b) => a - b);
const pushes = stages
  .flatMap(({ confirmed }) => confirmed.guilds[0]?.settings.universeIds ?? [])
  .map((id) => roblox.universe(id).messages.length);
const flows: Record<string, number> = {};
for (const station of stations)
  for (const [what, times] of Object.entries(station.done)) flows[what] = (flows[what] ?? 0) + times;
const list = (of: Record<string, number>) =>
  Object.entries(of)
    .sort(([, a], [, b]) => b - a)
    .map(([what, times]) => `${what} ${times}`)
    .join(', ');
if (told.lost > 0) problems.push(`${told.lost} deliveries are lost, such as ${JSON.stringify(told.firstLost)}`);
if (told.twice > 0) problems.push(`${told.twice} events were told twice`);
for (const what of log.lost) problems.push(`acknowledged, and not in the log: ${what}`);
for (const what of log.twice) problems.push(`in the log twice: ${what}`);
for (const line of errors.slice(0, 20)) problems.push(`logged: ${line.slice(0, 600)}`);
if (minutes >= limitIsMetAfterMinutes && reader.windows.refused === 0) problems.push('no read met its limit');

say(
  tableOf([
    ['minutes, seed', `${minutes}, ${seed}`],
    ['single steps', list(done)],
    ['steps for many', list(flows)],
    ['changes acknowledged', services.acknowledged.length],
    ['of them lost', log.lost.length],
    [
      'answers lost by kills',
      `${services.lost.done} were done, ${services.lost.again} sent again, ${services.lost.unknown} asked for later`,
    ],
    [
      'kills',
      `${kills.filter(({ process }) => process === 0).length} and ${kills.filter(({ process }) => process === 1).length}`,
    ],
    ['ready again', `${readyMs[Math.floor(readyMs.length / 2)]} ms, at most ${readyMs.at(-1)} ms`],
    ['deliveries', told.deliveries],
    ['of them lost; told twice', `${told.lost}; ${told.twice}`],
    ['attempts cut by kills; repeated for that', `${told.cut}; ${told.afterCut}`],
    ['entries in the log; told twice', `${log.entries}; ${log.twice.length}`],
    ['reads by status', JSON.stringify(Object.fromEntries([...reader.byStatus].sort()))],
    ['windows of reads; at the limit', `${reader.windows.all}; ${reader.windows.refused}`],
    ['messages to games', pushes.join(', ')],
    ...memory,
    ['event loop of the harness late, p99', `${(late.percentile(99) / 1e6 - 10).toFixed(0)} ms`],
    ['errors logged', errors.length],
    ['problems', problems.length],
  ]),
);
for (const problem of problems) say(`- ${problem}`);
await services.close();
await Promise.all([discord.stop(), roblox.stop(), receiver.close(), engine.close()]);
if (problems.length === 0) rmSync(folder, { recursive: true });
process.exit(problems.length > 0 ? 1 : 0);
