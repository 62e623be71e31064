import { LRUCache } from 'lru-cache';
import { Histogram } from 'prom-client';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { metrics } from '../../lib/metrics.js';
import { secondMs } from '../../lib/time.js';

/** How many of a guild's latest ones count, for each kind. */
const counted = 100;
const guilds = 10_000;

const buckets = [0.1, 0.25, 0.5, 1, 2, 3, 5, 10, 30, 120, 600, 3_600];
const histograms = {
  roleChanges: new Histogram({
    name: 'rolelink_role_change_delay_seconds',
    help: 'From the moment a change of a member becomes necessary until it is made on Discord.',
    buckets,
    registers: [metrics],
  }),
  commands: new Histogram({
    name: 'rolelink_command_duration_seconds',
    help: 'From a command, press or form to its answer.',
    buckets,
    registers: [metrics],
  }),
};
type Kind = keyof typeof histograms;

const taken = z.strictObject({ p50Seconds: z.number().nonnegative(), p99Seconds: z.number().nonnegative() }).nullable();

/** How promptly a guild is served (SYNC-141). */
export const promptnessView = z
  .strictObject({
    roleChanges: taken.describe('From the moment a change becomes necessary until it is made; null for none.'),
    commands: taken.describe('From a command, press or form to its answer; null for none.'),
  })
  .describe(`Of the last ${counted} of each kind that the process has served.`)
  .meta({ id: 'Promptness' });
export type Promptness = z.output<typeof promptnessView>;

const times = new LRUCache<string, Record<Kind, number[]>>({
  max: guilds,
  memoMethod: () => ({ roleChanges: [], commands: [] }),
});
/** Notes a member's change that became necessary at `since` and was made just now. */
export function noteRoleChange(guildId: string, since: Date): void {
  noteTime(guildId, 'roleChanges', clock.epochMs() - since.getTime());
}

/** Notes how long a command, press or form took, in milliseconds. */
export const noteCommand = (guildId: string, ms: number): void => noteTime(guildId, 'commands', ms);

function noteTime(guildId: string, kind: Kind, ms: number): void {
  const seconds = Math.max(0, ms) / secondMs;
  histograms[kind].observe(seconds);
  const known = times.memo(guildId)[kind];
  known.push(seconds);
  if (known.length > counted) known.shift();
}

/** How promptly this process has served a guild. */
export function promptnessOf(guildId: string): Promptness {
  const known = times.get(guildId);
  return { roleChanges: percentilesOf(known?.roleChanges), commands: percentilesOf(known?.commands) };
}

function percentilesOf(seconds: readonly number[] = []): Promptness[Kind] {
  const sorted = [...seconds].sort((a, b) => a - b);
  const at = (share: number): number => sorted[Math.ceil(share * sorted.length) - 1] ?? 0;
  return sorted.length === 0 ? null : { p50Seconds: at(0.5), p99Seconds: at(0.99) };
}
