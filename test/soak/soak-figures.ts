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

/** pino's number for errors. */
const errorLevel = 50;

/** The errors in a log, and lines that are none, as after a crash; the last line of a killed process may be cut. */
export function errorsIn(log: string): string[] {
  return log.split('\n').filter((line, index, all) => {
    if (line.trim() === '' || index === all.length - 1) return false;
    try {
      return Number((JSON.parse(line) as { level?: number }).level) >= errorLevel;
    } catch {
      return true;
    }
  });
}

/** Changes that always have an entry: a resync that runs already answers for the next (RESYNC-2). */
const leavesEntry = /^(POST \S+\/mappings|DELETE \S+\/(mappings\/\w+|link)|POST \S+\/go-live)$/;

/** The acknowledged changes without an entry in the log, and the entries that tell one change twice. */
export async function judgeLog(service: TwoServices) {
  const log = service.db.collection<AuditEntry>('audit_log');
  const lost: string[] = [];
  const twice: string[] = [];
  const byRequest = new Map<string, string[]>();
  for await (const { requestId, guildId, action, target } of log.find({ requestId: { $exists: true } })) {
    const told = byRequest.get(requestId ?? '') ?? [];
    byRequest.set(requestId ?? '', [...told, `${action} of ${target.id} in ${guildId}`]);
  }
  for (const { requestId, method, path } of service.acknowledged) {
    const isTold = byRequest.has(requestId);
    if (!isTold && leavesEntry.test(`${method} ${path}`)) lost.push(`${requestId}: ${method} ${path}`);
  }
  for (const [requestId, told] of byRequest) {
    if (new Set(told).size < told.length) twice.push(`${requestId}: ${told.join(', ')}`);
  }
  return { entries: await log.countDocuments(), lost, twice };
}

/** A table of two columns in Markdown. */
export function tableOf(rows: readonly (readonly [string, string | number])[]): string {
  return ['| what | figure |', '|---|---|', ...rows.map(([what, figure]) => `| ${what} | ${figure} |`)].join('\n');
}
