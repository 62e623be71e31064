import type { AuditEntry } from '../../src/core/audit/audit-model.js';
import type { ModelService } from '../model/model-service.js';
import type { TwoServices } from './two-services.js';

type Measures = Awaited<ReturnType<ModelService['measure']>>;

/** How a process fared at a moment, in ms since the soak's begin; `life` counts its starts. */
export interface Sample extends Measures {
  at: number;
  life: number;
  ageMs: number;
}

const hourMs = 3_600_000;

/** The growth of live memory in MB an hour: the slope of the line that lies nearest to the samples. */
export function growthOf(samples: readonly Sample[]): number {
  const mean = (of: (sample: Sample) => number): number =>
    samples.reduce((sum, sample) => sum + of(sample), 0) / Math.max(1, samples.length);
  const [at, mb] = [mean((sample) => sample.at), mean(({ liveMb }) => liveMb)];
  const covariance = mean((sample) => (sample.at - at) * (sample.liveMb - mb));
  const variance = mean((sample) => (sample.at - at) ** 2);
  return variance === 0 ? 0 : (covariance / variance) * hourMs;
}

/** The samples of each life, in order. */
function livesOf(samples: readonly Sample[]): Sample[][] {
  const lives = [...new Set(samples.map(({ life }) => life))];
  return lives.map((one) => samples.filter(({ life }) => life === one));
}

/** What that line gains in MB from the first sample to the last. */
export const gainOf = (samples: readonly Sample[]): number =>
  (growthOf(samples) * ((samples.at(-1)?.at ?? 0) - (samples[0]?.at ?? 0))) / hourMs;

/** The samples of a process's longest life, and of that the later half. */
export function longestLife(samples: readonly Sample[]): { whole: Sample[]; later: Sample[] } {
  const lives = livesOf(samples);
  const whole = lives.sort((a, b) => (b.at(-1)?.ageMs ?? 0) - (a.at(-1)?.ageMs ?? 0))[0] ?? [];
  const half = (whole.at(-1)?.ageMs ?? 0) / 2;
  return { whole, later: whole.filter(({ ageMs }) => ageMs >= half) };
}

/** Live memory at about this age in each life that was as long, the oldest life first: like is compared with like. */
export function atAge(samples: readonly Sample[], ageMs: number): number[] {
  const lives = livesOf(samples);
  return lives.flatMap((life) => life.find((sample) => sample.ageMs >= ageMs)?.liveMb ?? []);
}

/** How much higher the later lives are at one age than the earlier ones, by their medians. */
export function riseOf(ages: readonly number[]): number {
  const half = Math.floor(ages.length / 2);
  const median = (of: readonly number[]): number => of.toSorted((a, b) => a - b)[Math.floor(of.length / 2)] ?? 0;
  return median(ages.slice(-half)) - median(ages.slice(0, half));
}

/** pino's number for errors. */
const errorLevel = 50;

interface LogLine {
  level?: number;
  msg?: string;
  err?: { type?: string; message?: string };
}

/** Steps kick the bot: a job that is at work in the guild then fails, and the next catch-up does its work. */
const isOfKick = ({ msg, err }: LogLine): boolean =>
  msg === 'job failed' && err?.type === 'DiscordForbids' && err.message === 'Missing Access';

/**
 * The errors in a log, its words first, and lines that are none, as after a crash; the last line of a killed process may
 * be cut.
 */
export function errorsIn(log: string): string[] {
  return log.split('\n').flatMap((line, index, all) => {
    if (line.trim() === '' || index === all.length - 1) return [];
    try {
      const read = JSON.parse(line) as LogLine;
      return Number(read.level) >= errorLevel && !isOfKick(read) ? [`${read.msg}: ${line}`] : [];
    } catch {
      return [line];
    }
  });
}

/** Changes that always have an entry: a resync that runs already answers for the next (RESYNC-2). */
const leavesEntry = /^(POST \S+\/mappings|DELETE \S+\/(mappings\/\w+|link)|POST \S+\/go-live)$/;

/**
 * An account may end in several documents by one change, which the log tells alike: a proof, and a word in each of a
 * stage's two guilds.
 */
const mostTold = (action: string): number => (action === 'account.unlinked' ? 3 : 1);

/** The acknowledged changes without an entry in the log, and the entries that tell one change twice. */
export async function judgeLog(service: TwoServices) {
  const log = service.db.collection<AuditEntry>('audit_log');
  const lost: string[] = [];
  const twice: string[] = [];
  const confirmed = await log.find({ action: 'resync.confirmed' }, { projection: { target: 1 } }).toArray();
  /** A confirmed resync is held again if more would lose roles (RESYNC-10). */
  const mostHeld = (jobId: string): number => 1 + confirmed.filter(({ target }) => target.id === jobId).length;
  const byRequest = new Map<string, Map<string, { times: number; most: number }>>();
  for await (const { requestId = '', ...entry } of log.find({ requestId: { $exists: true } })) {
    const { guildId, action, target, changes } = entry;
    const { from, to } = changes?.gameUserId ?? {};
    const told = byRequest.get(requestId) ?? new Map<string, { times: number; most: number }>();
    const key = `${action} of ${target.id}${changes?.gameUserId ? ` (${from} to ${to})` : ''} in ${guildId}`;
    const most = action === 'resync.held' ? mostHeld(target.id) : mostTold(action);
    byRequest.set(requestId, told.set(key, { times: (told.get(key)?.times ?? 0) + 1, most }));
  }
  for (const { requestId, method, path } of service.acknowledged) {
    const isTold = byRequest.has(requestId);
    if (!isTold && leavesEntry.test(`${method} ${path}`)) lost.push(`${requestId}: ${method} ${path}`);
  }
  for (const [requestId, told] of byRequest) {
    const repeated = [...told].filter(([, { times, most }]) => times > most).map(([key]) => key);
    if (repeated.length > 0) twice.push(`${requestId}: ${repeated.join(', ')} among ${[...told.keys()].join(', ')}`);
  }
  return { entries: await log.countDocuments(), lost, twice };
}

/** A table of two columns in Markdown. */
export function tableOf(rows: readonly (readonly [string, string | number])[]): string {
  return ['| what | figure |', '|---|---|', ...rows.map(([what, figure]) => `| ${what} | ${figure} |`)].join('\n');
}
