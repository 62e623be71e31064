import mongoose, { mongo } from 'mongoose';
import { clock } from '../../lib/clock.js';
import { minuteMs, secondMs } from '../../lib/time.js';
import { mendDueTimes } from '../database/due-times.js';

/** Interval at which one process claims the work that is due. No shared work has a shorter one. */
export const claimEveryMs = 30 * secondMs;
/** Agenda wakes a little late: work counts as due this much earlier, so that it keeps its interval. */
const earlyMs = claimEveryMs / 2;
/** Milliseconds until a killed process's run is repeated. A live run renews its claim. */
export const claimLifeMs = minuteMs;

/** The one document that holds all shared work's next run. */
interface StandingClaims {
  _id: 'all';
  /** The claim count so far, so that between two processes only one claims. */
  claims: number;
  at: Date;
  due: Record<string, Date>;
}

export const STANDING_WORK = 'standing_work';

const stored = () => mongoose.connection.collection<StandingClaims>(STANDING_WORK);

export interface Claim {
  name: string;
  /** The time of the next run that this claim has stored. */
  until: Date;
}

/** Other machines' clocks may be ahead by this much. */
const skewMs = minuteMs;

/**
 * Claims the work that is due. Work that no process knows yet is first due after one interval. A time beyond the
 * interval and beyond a renewed claim comes from before the clock was set back, so it is due. If the last claim is from
 * the future, all due times may be: they are mended.
 */
export async function claimDue(works: readonly { name: string; everyMs: number }[]): Promise<Claim[]> {
  const found = await stored().findOne({ _id: 'all' });
  const now = clock.epochMs();
  if (found !== null && found.at.getTime() > now + skewMs) await mendDueTimes();
  const claimed: Claim[] = [];
  const first: Claim[] = [];
  for (const { name, everyMs } of works) {
    const known = found?.due[name];
    const at = known?.getTime() ?? now + everyMs - claimEveryMs;
    const isDue = at <= now + earlyMs || at > now + Math.max(everyMs, claimLifeMs) + earlyMs;
    if (isDue) claimed.push({ name, until: new Date(now + Math.min(everyMs, claimLifeMs)) });
    else if (known === undefined) first.push({ name, until: new Date(at) });
  }
  const times = [...claimed, ...first].map(({ name, until }) => [`due.${name}`, until]);
  if (times.length === 0) return [];
  const update = { $set: { at: new Date(now), ...Object.fromEntries(times) }, $inc: { claims: 1 } };
  return (await storeIfUnclaimed(found, update)) ? claimed : [];
}

async function storeIfUnclaimed(found: StandingClaims | null, update: mongo.UpdateFilter<StandingClaims>) {
  try {
    const unchanged = { _id: 'all' as const, claims: found?.claims ?? 0 };
    const { matchedCount, upsertedCount } = await stored().updateOne(unchanged, update, { upsert: found === null });
    return matchedCount + upsertedCount > 0;
  } catch (error) {
    if (error instanceof mongo.MongoServerError && error.code === 11_000) return false;
    throw error;
  }
}

/** Moves claimed work's next run. Does nothing if another process has claimed it since. @returns the new claim. */
export async function moveClaim({ name, until }: Claim, to: Date): Promise<Claim> {
  await stored().updateOne({ _id: 'all', [`due.${name}`]: until }, { $set: { [`due.${name}`]: to } });
  return { name, until: to };
}
