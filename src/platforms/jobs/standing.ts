import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { failureOf, isWorthLogging, keepUnderWay, registerWork, runAt, runSoon } from './runs.js';
import { type Claim, claimDue, claimEveryMs, claimLifeMs, moveClaim } from './standing-claims.js';

export interface StandingWork {
  /** Kebab-case and unique. */
  name: string;
  everyMs: number;
  /** Whether each process also runs it when it starts. */
  atStart: boolean;
  /** Whether each process runs it at the interval. Otherwise one does, and 30 s are the shortest interval. */
  inEachProcess?: boolean;
  /** Finds pending work and does it. It may run twice for one reason, or parallel to another process's run. */
  run(signal: AbortSignal): Promise<void>;
}

/** Standing work, as accepted by `poke` and `pokeAt`. */
export type StandingJob = Pick<StandingWork, 'name' | 'everyMs'>;

const declared = new Map<string, StandingWork>();

/** Declares work that runs on a schedule and whenever it is poked. One run at a time in each process. */
export function standing(work: StandingWork): StandingJob {
  const { name, everyMs, inEachProcess = false } = work;
  if (!inEachProcess && everyMs < claimEveryMs) throw new Error(`${name} runs more often than claims are made.`);
  registerWork(name, { concurrency: 1, run: (_id, signal) => work.run(signal) });
  declared.set(name, work);
  return work;
}

/** Shared work that is on this process's schedule, while its jobs run. */
let shared: { works: StandingWork[]; signal: AbortSignal } | undefined;

/** Starts the schedule for all declared work that is `wanted`, until `signal` is aborted. The jobs must run. */
export function startStanding(wanted: (job: StandingJob) => boolean, signal: AbortSignal): void {
  const works = [...declared.values()].filter(wanted);
  shared = { works: works.filter(({ inEachProcess }) => inEachProcess !== true), signal };
  const own = works.filter(({ inEachProcess }) => inEachProcess);
  const timers = own.map((work) => setInterval(() => poke(work), work.everyMs));
  // One listener for all: Node warns of a leak at the eleventh.
  signal.addEventListener('abort', () => {
    for (const timer of timers) clearInterval(timer);
  });
  for (const work of works) if (work.atStart) poke(work);
}

/** Claims and begins the shared work that is due. Its runs go on after this one, so slow work holds up no other. */
export async function runDueWork(): Promise<void> {
  if (shared === undefined || shared.signal.aborted) return;
  const { works, signal } = shared;
  for (const claim of await claimDue(works)) keepUnderWay(runClaimed(claim, signal));
}

/** Runs claimed work. It is due again one interval after this start, and at the next claim if a stop interrupts it. */
async function runClaimed(first: Claim, signal: AbortSignal): Promise<void> {
  const everyMs = declared.get(first.name)?.everyMs ?? claimLifeMs;
  const startedAt = clock.epochMs();
  let latest = Promise.resolve(first);
  const move = (to: number): void => {
    latest = latest.then((claim) => moveClaim(claim, new Date(to)).catch((err: unknown) => keepClaim(claim, err)));
  };
  const renewal = setInterval(() => move(clock.epochMs() + claimLifeMs), claimLifeMs / 4);
  await runSoon({ name: first.name, id: '' });
  clearInterval(renewal);
  const isShort = (await latest) === first;
  if (signal.aborted) move(clock.epochMs());
  else if (everyMs > claimLifeMs || !isShort) move(startedAt + everyMs);
  await latest;
}

/** A claim that is not renewed expires, and the work runs again. */
function keepClaim(claim: Claim, err: unknown): Claim {
  if (isWorthLogging(err)) logger.warn({ ...failureOf(err), job: claim.name }, 'claim not renewed');
  return claim;
}

/** Runs standing work now, in this process, or when its jobs start. */
export function poke({ name }: StandingJob): void {
  void runSoon({ name, id: '' });
}

/** Runs standing work at a time, in this process; among several times the earliest counts. A kill loses it. */
export const pokeAt = ({ name }: StandingJob, at: Date): void => runAt({ name, id: '' }, at);

export const standingWork = (): StandingWork[] =>
  [...declared.values()].sort((one, other) => one.name.localeCompare(other.name));
