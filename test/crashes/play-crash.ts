import { askWhatIsUncertain } from '../model/play.js';
import { differences } from '../model/watch.js';
import type { CrashFlow } from './crash-flows.js';
import type { CrashHouse, CrashStage } from './crash-house.js';
import type { Blow, Point } from './points.js';
import { compareTallies, Tallier, type Tally } from './tally.js';

/** A flow that nothing has disturbed. */
export interface CleanRun {
  points: Point[];
  tally: Tally;
}

export interface CrashRun {
  /** The place came: a process was killed. */
  struck: boolean;
  problems: string[];
}

/**
 * Plays a flow undisturbed. Returns the places where it can be killed, and its result. Throws if the result is wrong
 * already.
 */
export async function playClean(house: CrashHouse, flow: CrashFlow): Promise<CleanRun> {
  const { stage, tallier } = await begin(house, flow);
  house.points.begin();
  const isSaidDone = await flow.act(stage);
  await house.quiet();
  const points = house.points.end();
  const left = await house.settle();
  const wrong = [...left, ...differences(stage)];
  if (!isSaidDone || !(await flow.isDone(stage))) wrong.push('it was not done');
  const tally = await tallier.count(flow.traces?.(stage) ?? []);
  await house.strike(stage);
  if (wrong.length > 0) throw new Error(`${flow.name}, undisturbed: ${wrong.join('; ')}`);
  return { points, tally };
}

/** Plays a flow with a kill at one place and a restart. Returns the faults in words. */
export async function playCrash(house: CrashHouse, flow: CrashFlow, blow: Blow, clean: CleanRun): Promise<CrashRun> {
  const { stage, tallier } = await begin(house, flow);
  let dying: Promise<void> | undefined;
  house.points.begin(blow, () => {
    dying = house.service.kill();
  });
  const isSaidDone = await flow.act(stage).catch((error: unknown) => {
    if (dying === undefined) throw error;
    return false;
  });
  await house.quiet(() => dying !== undefined);
  house.points.end();
  await dying;
  const problems = dying === undefined ? [] : await recover(house, flow, stage, { isSaidDone, tallier, clean });
  await house.strike(stage);
  return { struck: dying !== undefined, problems };
}

async function begin(house: CrashHouse, flow: CrashFlow): Promise<{ stage: CrashStage; tallier: Tallier }> {
  const stage = await house.build();
  await flow.prepare?.(stage);
  await house.calm(stage);
  return { stage, tallier: await Tallier.begin(stage) };
}

async function recover(
  house: CrashHouse,
  flow: CrashFlow,
  stage: CrashStage,
  { isSaidDone, tallier, clean }: { isSaidDone: boolean; tallier: Tallier; clean: CleanRun },
): Promise<string[]> {
  const problems = await house.settle();
  let isAgain = false;
  if (await flow.isDone(stage)) flow.note?.(stage);
  else if (isSaidDone) problems.push('what was answered as done is lost');
  else {
    // As a caller without an answer does.
    isAgain = true;
    if (!(await flow.act(stage))) problems.push('it can’t be done again');
    problems.push(...(await house.settle()));
    if (!(await flow.isDone(stage))) problems.push('it was done again, and is not done');
  }
  await askWhatIsUncertain(stage);
  const tally = await tallier.count(flow.traces?.(stage) ?? []);
  const ofTries = (line: string): boolean => isAgain && / verification\.failed /.test(line);
  return [...problems, ...differences(stage), ...compareTallies(tally, clean.tally, ofTries)];
}
