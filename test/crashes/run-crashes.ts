import { openTestDatabase } from '../support/test-database.js';
import { accountFlows } from './account-flows.js';
import { type CrashFlow, crashFlows } from './crash-flows.js';
import { CrashHouse } from './crash-house.js';
import { factFlows } from './fact-flows.js';
import { planFlows } from './plan-flows.js';
import { type CleanRun, type CrashRun, playClean, playCrash } from './play-crash.js';
import { playStops, type StopFigures } from './play-stops.js';
import { type Blow, blowsAt, tellBlow } from './points.js';
import { rankFlows } from './rank-flows.js';

// `npm run test:crashes`: kills the service before and after each write to the database and each platform call, in the
// flows whose names contain CRASH_ONLY (all), at the places that contain CRASH_AT (all). Exit code 1 when something is
// lost, done twice or not in step.

const only = new RegExp(process.env.CRASH_ONLY ?? '');
const place = process.env.CRASH_AT ?? '';
const stopCount = Number(process.env.CRASH_STOPS ?? '100');
/** One kill in this many is played, from this one on. */
const every = Number(process.env.CRASH_EVERY ?? '1');
const first = Number(process.env.CRASH_FROM ?? '0');
/** How many kills to skip, since they were played before. */
const skipped = Number(process.env.CRASH_SKIP ?? '0');
/** A missing place is tried again: work next to the flow is not always there. */
const tries = 2;
/** Discord lets a bot identify 1,000 times a day, and each kill takes two. */
const killsAHouse = 200;

const say = (text: string) => process.stdout.write(`${text}\n`);
const row = (...cells: (string | number)[]) =>
  say(cells.map((cell, index) => (index === 0 ? String(cell).padEnd(20) : String(cell).padStart(12))).join(''));

const engine = await openTestDatabase();
let serial = 0;
const open = (): Promise<CrashHouse> => CrashHouse.open(engine.uri, `crashes_${process.pid}_${++serial}`);

interface Figures {
  points: number;
  kills: number;
  missed: number;
  faults: string[];
}

async function strike(house: CrashHouse, flow: CrashFlow, blow: Blow, clean: CleanRun): Promise<CrashRun> {
  try {
    let run = await playCrash(house, flow, blow, clean);
    for (let more = 1; !run.struck && more < tries; more += 1) run = await playCrash(house, flow, blow, clean);
    return run;
  } catch (error) {
    return { struck: true, problems: [`the harness: ${error instanceof Error ? error.stack : String(error)}`] };
  }
}

async function playFlow(flow: CrashFlow): Promise<Figures> {
  let house = await open();
  const clean = await playClean(house, flow);
  if (process.env.CRASH_LIST) {
    for (const { label, turn } of clean.points) say(`  ${label} (${turn})`);
    for (const [line, times] of clean.tally) say(`    ${times} × ${line}`);
  }
  const figures: Figures = { points: clean.points.length, kills: 0, missed: 0, faults: [] };
  if (process.env.CRASH_LIST === '2') {
    await house.close();
    return figures;
  }
  const blows = blowsAt(clean.points).filter((blow) => tellBlow(blow).includes(place));
  for (const blow of blows.slice(skipped).filter((_, index) => index % every === first)) {
    const run = await strike(house, flow, blow, clean);
    figures.kills += run.struck ? 1 : 0;
    figures.missed += run.struck ? 0 : 1;
    if (!run.struck) say(`  ${flow.name}: never came ${tellBlow(blow)}`);
    if (run.problems.length > 0) {
      figures.faults.push(tellBlow(blow));
      say(`  ${flow.name}, killed ${tellBlow(blow)}:\n    ${run.problems.join('\n    ')}`);
    }
    if (figures.kills % 10 === 0) say(`  ${flow.name}: ${figures.kills} kills`);
    if (figures.kills % killsAHouse === 0 || run.problems.length > 0) {
      await house.close();
      house = await open();
    }
  }
  await house.close();
  return figures;
}

async function playStopsOnce(): Promise<StopFigures | undefined> {
  if (stopCount === 0) return undefined;
  const house = await open();
  const figures = await playStops(house, stopCount);
  await house.close();
  return figures;
}

const all: [string, Figures][] = [];
for (const flow of [...crashFlows, ...accountFlows, ...planFlows, ...rankFlows, ...factFlows].filter(({ name }) =>
  only.test(name),
)) {
  const startedAt = performance.now();
  const figures = await playFlow(flow);
  all.push([flow.name, figures]);
  say(`${flow.name}: ${Math.round((performance.now() - startedAt) / 1_000)} s`);
}
const stops = await playStopsOnce();
row('flow', 'points', 'kills', 'never came', 'faults');
for (const [name, { points, kills, missed, faults }] of all) row(name, points, kills, missed, faults.length);
if (stops !== undefined) {
  say(`${stops.stops} times SIGTERM under load, ${stops.changes} changes answered: ${stops.faults.length} faults`);
  for (const fault of stops.faults) say(`  ${fault}`);
}
await engine.close();
const isFaulty = all.some(([, { faults }]) => faults.length > 0) || (stops?.faults.length ?? 0) > 0;
process.exit(isFaulty ? 1 : 0);
