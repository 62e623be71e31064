import { AsyncLocalStorage } from 'node:async_hooks';
import { randomUUID } from 'node:crypto';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { logger, withLogContext } from '../../lib/logger.js';
import { SingleFlight } from '../../lib/single-flight.js';
import { dayMs } from '../../lib/time.js';
import { defineJob, type NamedWork, registerWork } from './define-job.js';
import { isWorthLogging, runCounted } from './run-job.js';
import { type Claim, claimDue, claimEveryMs, claimLifeMs, moveClaim } from './standing-claims.js';
import { every } from './wake.js';

export interface StandingWork {
  /** Kebab-case and unique, like a job's name. */
  name: string;
  everyMs: number;
  /** Whether each process also runs it when it starts. */
  atStart: boolean;
  /** Whether each process runs it at the interval. Otherwise one of them does, and 30 s are the shortest interval. */
  inEachProcess?: boolean;
  /** Finds pending work and does it. It may run twice for one reason, or parallel to another process's run. */
  run(signal: AbortSignal): Promise<void>;
}

/** Standing work, as accepted by `poke` and `pokeAt`. */
export type StandingJob = Pick<NamedWork, 'name'>;

interface Declared extends StandingWork {
  readonly job: NamedWork;
}

const declared = new Map<string, Declared>();

/** Declares work that runs on a schedule and whenever it is poked. One run at a time in each process. */
export function standing(work: StandingWork): StandingJob {
  const { name, everyMs, inEachProcess = false } = work;
  if (!inEachProcess && everyMs < claimEveryMs) throw new Error(`${name} runs more often than claims are made.`);
  const job = registerWork(name, (_data, { signal }) => work.run(signal));
  declared.set(name, { ...work, job });
  return job;
}

/** Work of this process, while its jobs run. */
interface Open {
  signal: AbortSignal;
  runs: SingleFlight<void>;
  /** All runs and their ends, for an orderly stop. */
  underWay: Set<Promise<void>>;
  /** Shared work that is on the schedule. */
  shared: Declared[];
  timers: Map<string, { at: number; timer: NodeJS.Timeout }>;
}

let open: Open | undefined;
/** Names of work that was poked while no jobs ran. */
const pokedBefore = new Set<string>();

/** A context without a request: a run belongs to its work alone, in the log, in audit and in Discord's lanes. */
const outside = AsyncLocalStorage.snapshot();

/** Begins to run what is poked, until `signal` is aborted. Adds each run to `underWay` until it has ended. */
export function openStanding(signal: AbortSignal, underWay: Set<Promise<void>>): void {
  const runs = new SingleFlight(async (name: string) => {
    const job = declared.get(name)?.job;
    if (job === undefined || signal.aborted) return;
    await withLogContext({ jobId: randomUUID() }, () => runCounted(job, {}, signal));
  });
  open = { signal, runs, underWay, shared: [], timers: new Map() };
  for (const name of pokedBefore) poke({ name });
  pokedBefore.clear();
}

export function endStanding(): void {
  for (const { timer } of open?.timers.values() ?? []) clearTimeout(timer);
  open = undefined;
}

/** Starts the schedule of all declared work that is `wanted`. The jobs must run. */
export async function startStanding(wanted: (job: StandingJob) => boolean): Promise<void> {
  if (open === undefined) throw new Error('Standing work starts when the jobs run.');
  const { signal, shared } = open;
  for (const work of declared.values()) {
    if (!wanted(work.job)) continue;
    if (work.inEachProcess) {
      const timer = setInterval(() => poke(work), work.everyMs);
      signal.addEventListener('abort', () => clearInterval(timer));
    } else shared.push(work);
    if (work.atStart) poke(work);
  }
  await every(claiming, claimEveryMs);
}

/** Claims and begins the shared work that is due. Its runs go on after this one, so slow work holds up no other. */
const claiming = defineJob<Record<string, never>>({
  name: 'standing',
  data: z.strictObject({}),
  concurrency: 1,
  async run() {
    const now = open;
    if (now === undefined) return;
    for (const claim of await claimDue(now.shared)) keep(now, runClaimed(now, claim));
  },
});

/** Runs claimed work. It is due again one interval after this start, and at the next claim if a stop interrupts it. */
async function runClaimed({ runs, signal }: Open, first: Claim): Promise<void> {
  const everyMs = declared.get(first.name)?.everyMs ?? claimLifeMs;
  const startedAt = clock.epochMs();
  let latest = Promise.resolve(first);
  const move = (to: number): void => {
    latest = latest.then((claim) => moveClaim(claim, new Date(to)).catch((err: unknown) => keepClaim(claim, err)));
  };
  const renewal = setInterval(() => move(clock.epochMs() + claimLifeMs), claimLifeMs / 4);
  await runs.get(first.name);
  clearInterval(renewal);
  const isShort = (await latest) === first;
  if (signal.aborted) move(clock.epochMs());
  else if (everyMs > claimLifeMs || !isShort) move(startedAt + everyMs);
  await latest;
}

/** A claim that is not renewed expires, and the work runs again. */
function keepClaim(claim: Claim, err: unknown): Claim {
  if (isWorthLogging(err)) logger.warn({ err, job: claim.name }, 'claim not renewed');
  return claim;
}

/** Runs standing work now, in this process, or when its jobs start. */
export function poke({ name }: StandingJob): void {
  const now = open;
  if (now === undefined) pokedBefore.add(name);
  else outside(() => keep(now, now.runs.get(name)));
}

/** Runs standing work at a time, in this process; of several times the earliest counts. A kill loses it. */
export function pokeAt({ name }: StandingJob, at: Date): void {
  if (open === undefined) {
    pokedBefore.add(name);
    return;
  }
  const { timers } = open;
  const known = timers.get(name);
  if (known !== undefined && known.at <= at.getTime()) return;
  clearTimeout(known?.timer);
  const run = (): void => {
    timers.delete(name);
    poke({ name });
  };
  const waitMs = Math.min(Math.max(0, at.getTime() - clock.epochMs()), dayMs);
  timers.set(name, { at: at.getTime(), timer: outside(() => setTimeout(run, waitMs).unref()) });
}

/** The time of the next run by `pokeAt` in this process, or null. */
export function nextPokeOf({ name }: StandingJob): Date | null {
  const planned = open?.timers.get(name);
  return planned === undefined ? null : new Date(planned.at);
}

function keep({ underWay }: Open, run: Promise<void>): void {
  const kept = run.finally(() => underWay.delete(kept));
  underWay.add(kept);
}

export const standingWork = (): StandingWork[] =>
  [...declared.values()].sort((one, other) => one.name.localeCompare(other.name));
