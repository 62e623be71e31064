import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { pollCalls } from '../../src/features/rank-watch/plan-readings.js';
import { callsPerMinute, logCallsPerMinute, watchShare } from '../../src/features/rank-watch/rank-watch.js';
import { logger } from '../../src/lib/logger.js';
import { batchRequests } from '../../src/platforms/roblox/membership-reads.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { removeFolder } from '../support/remove-folder.js';
import { openTestDatabase } from '../support/test-database.js';
import { type Figure, passes, percentile, table } from './figures.js';
import type { freshnessVerbs } from './freshness-child.js';
import type { CrowdShape } from './freshness-crowd.js';
import { RemoteProcess } from './remote-process.js';
import { type MeasuredService, startMeasuredService } from './service-process.js';

const childScript = new URL('./freshness-child.js', import.meta.url);
const shapes: Readonly<Record<string, CrowdShape>> = {
  A: { guilds: 1, people: 5_000, groupSize: 20_000, groupsPerPerson: 20 },
  B: { guilds: 50, people: 200, groupSize: 5_000, groupsPerPerson: 20 },
};
const goalSeconds = { promotion: 120, swap: 600 };
const say = (text: string): void => void process.stdout.write(`${text}\n`);

/**
 * `freshness [--minutes M] [--only A] [--log]`: from a promotion on Roblox to the role on Discord, while people are
 * promoted for M minutes; with `--log` the key sees the groups' own logs. Both crowds at the same time, each with its
 * own key, service and sandboxes.
 */
export async function benchFreshness(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { minutes: option, only: option, log: { type: 'boolean' } } });
  logger.level = 'silent';
  const database = await openTestDatabase();
  try {
    const showsLog = values.log === true;
    const chosen = Object.entries(shapes).filter(([name]) => (values.only ?? name) === name);
    const minutes = Number(values.minutes ?? '5');
    const figures = await Promise.all(
      chosen.map(([name, shape]) => measure(name, { ...shape, showsLog }, database.uri, minutes)),
    );
    say(onPaper().join('\n'));
    return figures.flat().every(passes);
  } finally {
    await database.close();
  }
}

async function measure(name: string, shape: CrowdShape, engineUri: string, minutes: number): Promise<Figure[]> {
  const databaseUri = engineUri.replace('/?', `/freshness_${name}?`);
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  const child = new RemoteProcess<typeof freshnessVerbs>(childScript);
  const database = await mongoose.createConnection(databaseUri).asPromise();
  let service: MeasuredService | undefined;
  try {
    const people = await child.ask('fill', { shape, databaseUri });
    const startedAt = performance.now();
    service = await startMeasuredService({
      ...(await child.ask('environment', null)),
      ...{ PORT: String(await freePort()), DATA_DIR: dataDir, MONGODB_URI: databaseUri, LOG_LEVEL: 'error' },
    });
    const seen = () => database.collection('watched_accounts').countDocuments({ seenAt: { $exists: true } });
    while ((await seen()) < people) await delay(1_000);
    const { memberships, roles } = await child.ask('calls', null);
    const seconds = Math.round((performance.now() - startedAt) / 1000);
    say(`${name}: ${people} people read for the first time in ${seconds} s, ${memberships} and ${roles} calls.`);
    const played = await child.ask('play', { minutes });
    say(
      `${name}: calls for memberships, roles and logs by the minute: ${played.perMinute.map((it) => `${it.memberships}/${it.roles}/${it.logs}`).join(' ')}`,
    );
    const figures = figuresOf(name, played);
    say(table(figures));
    return figures;
  } finally {
    await Promise.all([service?.probe.kill(), child.kill()]);
    await database.close();
    await removeFolder(dataDir);
  }
}

type Played = Awaited<ReturnType<typeof freshnessVerbs.play>>;

function figuresOf(name: string, { latencies, changes, writes, refused, left, perMinute }: Played): Figure[] {
  const budget = callsPerMinute * watchShare;
  const most = (kind: 'memberships' | 'roles') => Math.max(0, ...perMinute.map((it) => it[kind]));
  const bound = (what: string, measured: number, reference: number, unit: string, exact = false): Figure => ({
    ...{ name: `${name}: ${what}`, measured, reference, atMost: 1, unit },
    ...(exact && { exact }),
  });
  return [
    bound('promotion to role, p50', percentile(latencies.promotion, 0.5), goalSeconds.promotion, 's'),
    bound('promotion to role, p95', percentile(latencies.promotion, 0.95), goalSeconds.promotion, 's'),
    bound('swap to both roles, p95', percentile(latencies.swap, 0.95), goalSeconds.swap, 's'),
    bound('changes that never came', left, 0, '', true),
    bound('Discord writes = changes', writes, changes, '', true),
    bound('calls refused with 429', refused, 0, '', true),
    // The syncs' own readings use the calls reserved for waiting people.
    bound('membership calls in the busiest minute', most('memberships'), callsPerMinute, ''),
    bound('calls for counts in the busiest minute', most('roles'), budget, ''),
  ];
}

/** One key's reach for a million accounts, by the planner's own numbers. */
function onPaper(): string[] {
  const people = 1_000_000;
  const perMinute = callsPerMinute * watchShare;
  const line = (what: string, calls: number, aMinute = perMinute) => {
    const minutes = calls / aMinute;
    return `  ${what}: ${calls} calls, ${minutes.toFixed(0)} min by one key, ${Math.ceil(minutes / 15)} keys for 15 min`;
  };
  return [
    `On paper, ${people} accounts in 20 groups each, ${perMinute} calls a minute for a key:`,
    line('everybody read in full', batchRequests(people, 20)),
    line('counts of 5,000 groups (200 linked people each)', 5_000 * pollCalls(10)),
    line('counts of 200 groups (5,000 linked people each)', 200 * pollCalls(10)),
    line('logs of 5,000 groups, 100 calls a minute for a key', 5_000, logCallsPerMinute * watchShare),
    line('logs of 200 groups', 200, logCallsPerMinute * watchShare),
  ];
}
