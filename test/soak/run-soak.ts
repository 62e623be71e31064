import { mkdtempSync, openSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import { ModelService } from '../model/model-service.js';
import { settle } from '../model/play.js';
import { askOwner, buildStage, type Stage, type StageGuild } from '../model/stage.js';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { openTestDatabase } from '../support/test-database.js';
import { startIdleThread } from './idle-thread.js';
import { errorsIn, growthOf, type Sample } from './soak-figures.js';
import { type Reads, readOne, startSubscriber, stepsOf, take } from './soak-traffic.js';

// `npm run test:soak`: mixed traffic with faults on one service process for an hour (`--minutes`), from the seed 1
// (`--seed`). Exit code 1 when its memory grows, it is late, work is pending at the end, or it logged its own error.

const { values } = parseArgs({
  options: { minutes: { type: 'string', default: '60' }, seed: { type: 'string', default: '1' } },
});
const [minutes, seed] = [Number(values.minutes), Number(values.seed)];
/** Caches fill for this share of the time; later growth is held. */
const warmUpShare = 0.25;
const mostGrowthMb = 1;
const mostLateMs = 50;
const [stepEveryMs, readsAStep, sampleEveryMs] = [250, 2, 15_000];
/** After a fault the service may still log it for this time: retries end within it. */
const aftermathMs = 60_000;
const mostSettles = 5;
/** The subscriber fails in the last of each this many minutes. */
const failsEveryMinutes = 4;

const say = (text: string) => process.stdout.write(`${text}\n`);

async function tokenOf(stage: Stage, guild: StageGuild): Promise<string> {
  const { status, body } = await askOwner(stage, guild, 'POST', '/tokens', { name: 'soak', role: 'viewer' });
  if (status !== 201 || body.token === undefined) throw new Error(`No token: ${status}`);
  return body.token;
}

const folder = mkdtempSync(join(tmpdir(), 'rolelink-soak-'));
const logPath = join(folder, 'log');
const engine = await openTestDatabase();
const [discord, roblox, subscriber] = await Promise.all([
  startDiscordSandbox({ rateLimits: false }),
  startRobloxSandbox({ rateLimits: false }),
  startSubscriber(),
]);
const service = await ModelService.prepare({ discord, roblox }, engine.uri, `soak_${process.pid}`, {
  logFile: openSync(logPath, 'a'),
});
await service.start();
const stage = await buildStage({ discord, roblox }, service);
const tokens = await Promise.all(stage.confirmed.guilds.map((guild) => tokenOf(stage, guild)));
for (const guild of stage.confirmed.guilds) {
  const events = ['verification.completed', 'member.unlinked', 'role.synced', 'role.sync_failed'];
  await askOwner(stage, guild, 'POST', '/webhooks', { url: subscriber.url, events });
}

const idle = startIdleThread();
const samples: Sample[] = [];
const faultTimes: number[] = [];
const reads: Reads = { byStatus: new Map() };
let [steps, nextSampleAt] = [0, 0];
const begun = Date.now();
const end = begun + minutes * 60_000;
for (const step of stepsOf(seed)) {
  const now = Date.now();
  if (now >= end) break;
  subscriber.failing = Math.floor((now - begun) / 60_000) % failsEveryMinutes === failsEveryMinutes - 1;
  if (await take(stage, step)) faultTimes.push(now);
  if (service.isCut) faultTimes.push(now);
  steps += 1;
  const reading = stage.confirmed.guilds.flatMap((guild, index) =>
    Array.from({ length: readsAStep / 2 }, () => readOne(service.url, guild, tokens[index] ?? '', steps, reads)),
  );
  await Promise.all(reading);
  if (now >= nextSampleAt) {
    nextSampleAt = now + sampleEveryMs;
    samples.push({ at: now - begun, ...(await service.measure()) });
  }
  stage.unawaited.length = 0;
  await delay(Math.max(0, stepEveryMs - (Date.now() - now)));
}

subscriber.failing = false;
const last = await service.measure();
const idleP99Ms = await idle.stop();
// A slow machine may need longer than the model test gives it.
let problems = (await settle([stage])).flat();
for (let tries = 1; tries < mostSettles && problems.length > 0; tries += 1) problems = (await settle([stage])).flat();
const pending = () => service.db.collection('deliveries').countDocuments({ state: { $in: ['pending', 'sending'] } });
await eventually(async () => {
  await service.runStanding();
  return (await pending()) === 0;
}, 'the last delivery').catch(async () => problems.push(`${await pending()} deliveries are owed`));

const steady = samples.filter(({ at }) => at >= warmUpShare * minutes * 60_000);
const growth = growthOf(steady, 'liveMb');
const errors = errorsIn(readFileSync(logPath, 'utf8'), faultTimes, aftermathMs);
say(
  `${steps} steps of seed ${seed} in ${minutes} minutes, ${faultTimes.length} with a fault, ${subscriber.taken} deliveries`,
);
say(`reads by status: ${JSON.stringify(Object.fromEntries([...reads.byStatus].sort()))}`);
say(
  `live memory: ${steady[0]?.liveMb.toFixed(1)} MB after the warm-up, ${last.liveMb.toFixed(1)} MB at the end, ${growth.toFixed(2)} MB an hour`,
);
say(
  `compiled code: ${last.compiledMb.toFixed(1)} MB at the end, ${growthOf(steady, 'compiledMb').toFixed(2)} MB an hour`,
);
say(`resident memory: ${last.residentMb.toFixed(0)} MB`);
say(
  `event loop: p99 ${last.delayP99Ms.toFixed(1)} ms late, at most ${last.delayMaxMs.toFixed(0)} ms; of a thread that does nothing ${idleP99Ms.toFixed(1)} ms`,
);
say(`errors in the log: ${errors.injected} of faults, ${errors.own.length} others`);
for (const line of errors.own.slice(0, 20)) say(`  ${line.slice(0, 400)}`);
if (growth >= mostGrowthMb) problems.push(`memory grows by ${growth.toFixed(2)} MB an hour`);
if (last.delayP99Ms > mostLateMs) problems.push(`the event loop is ${last.delayP99Ms.toFixed(1)} ms late`);
if (errors.own.length > 0) problems.push(`${errors.own.length} errors are none of the faults`);
for (const problem of problems) say(`- ${problem}`);
say(problems.length === 0 ? 'Nothing is owed, and all is within its bounds.' : `${problems.length} problems`);
await service.close();
await Promise.all([discord.stop(), roblox.stop(), engine.close()]);
subscriber.close();
rmSync(folder, { recursive: true });
process.exit(problems.length > 0 ? 1 : 0);
