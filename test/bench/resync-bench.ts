import { parseArgs } from 'node:util';
import { logger } from '../../src/lib/logger.js';
import { planMembershipReads } from '../../src/platforms/roblox/membership-reads.js';
import { openTestDatabase } from '../support/test-database.js';
import { type Figure, passes, percentile, table } from './figures.js';
import { killFigures } from './kill-bench.js';
import { planningFigure } from './planning-figure.js';
import { measureResync, type ResyncMeasures } from './resync-measuring.js';

/** The average interval between /update: a fifth of the usual limits, and at most twice a second. */
const updateEveryMs = (scale: number): number => Math.max(500, 5_000 / scale);
/** Discord's limit over all endpoints, which the REST client obeys. */
const globalPerSecond = 50;
/** Memory may grow so much with ten times the members. */
const smallerBy = 10;

/**
 * `resync [--members N] [--kills K] [--scale S]`: measures guild-wide resyncs; 0 members or kills leave that part out.
 * Gives whether every figure is in its bound.
 */
export async function benchResync(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { members: option, kills: option, scale: option } });
  const members = Number(values.members ?? '100000');
  const kills = Number(values.kills ?? '50');
  logger.level = 'silent';
  const database = await openTestDatabase();
  try {
    const scale = Number(values.scale ?? '1');
    const figures = [planningFigure()];
    if (members > 0) figures.push(...(await measuredFigures(database.uri, members, scale)));
    if (kills > 0) figures.push(...(await killFigures(database.uri, kills)));
    say(`\n${table(figures)}`);
    return figures.every(passes);
  } finally {
    await database.close();
  }
}

async function measuredFigures(uri: string, members: number, scale: number): Promise<Figure[]> {
  say(`Limits: Discord's windows, ${scale} times as many calls in each; ${globalPerSecond} a second over all;`);
  say('Roblox unlimited. The database, the service with a small heap, and both sandboxes run in a process each.');
  const smaller = Math.round(members / smallerBy);
  const small = await measureResync(uri, { members: smaller, scale });
  describe(smaller, small);
  const large = await measureResync(uri, { members, scale, updateEveryMs: updateEveryMs(scale) });
  describe(members, large);
  return figuresOf(members, large, { members: smaller, peakMemory: small.load.peakMemory });
}

function figuresOf(
  members: number,
  measures: ResyncMeasures,
  smaller: { members: number; peakMemory: number },
): Figure[] {
  const { differing, all, wrong, load, applyingMs, idleUpdates, busyUpdates, laterUpdates } = measures;
  const writes = Object.values(writesOf(measures)).reduce((sum, count) => sum + count, 0);
  return [
    { name: 'members wrong in the end', measured: wrong, reference: 0, atMost: 1, exact: true, unit: '' },
    {
      name: 'Discord writes / members changed',
      measured: writes - busyUpdates.length,
      reference: differing,
      atMost: 1,
      exact: true,
      unit: '',
    },
    { name: 'calls refused with 429', measured: all.refused, reference: 0, atMost: 1, exact: true, unit: '' },
    {
      name: 'Roblox membership reads / least',
      measured: membershipReads(measures),
      reference: leastReads(members, measures),
      atMost: 1.05,
      unit: '',
    },
    { name: 'event-loop delay p99', measured: load.delayP99, reference: 50, atMost: 1, unit: 'ms' },
    {
      name: `peak memory, ${members} / ${smaller.members} members`,
      measured: load.peakMemory,
      reference: smaller.peakMemory,
      atMost: 1.2,
      unit: 'MB',
    },
    {
      name: 'makespan of the writes / limits',
      measured: applyingMs / 1000,
      reference: leastSeconds(measures),
      atMost: 1.05,
      unit: 's',
    },
    {
      name: '/update p95, during / idle',
      measured: percentile([...busyUpdates, ...laterUpdates], 0.95),
      reference: percentile(idleUpdates, 0.95),
      atMost: 1.5,
      unit: 'ms',
    },
  ];
}

/** Calls that change members, by endpoint as the limits name it. */
function writesOf({ all }: Pick<ResyncMeasures, 'all'>): Record<string, number> {
  const member = 'guilds/:guildId/members/:userId';
  const [put, take, edit] = [`PUT /${member}/roles/:roleId`, `DELETE /${member}/roles/:roleId`, `PATCH /${member}`];
  const counted = (endpoint: string) => all.discord[endpoint.replaceAll(/:\w+/g, ':id')] ?? 0;
  return Object.fromEntries([put, take, edit].map((endpoint) => [endpoint, counted(endpoint)]));
}

/**
 * The least time that the sandbox's limits let the writes take, /update's included: a window begins with its first
 * call, so that call n + 1 of an endpoint with n calls in its window waits for one more window.
 */
function leastSeconds(measures: ResyncMeasures): number {
  const writes = Object.entries(writesOf(measures));
  const ofEndpoint = writes.map(([endpoint, count]) => {
    const { limit = 1, seconds = 0 } = measures.limits[endpoint] ?? {};
    return Math.floor(Math.max(0, count - 1) / limit) * seconds;
  });
  const total = writes.reduce((sum, [, count]) => sum + count, 0);
  return Math.max(...ofEndpoint, total / globalPerSecond);
}

/** Membership pages in Open Cloud, asked for until the plan was ready. */
function membershipReads({ planned }: ResyncMeasures): number {
  return Object.entries(planned.roblox).reduce(
    (sum, [endpoint, count]) => (endpoint.endsWith('/memberships') ? sum + count : sum),
    0,
  );
}

/** One reading over everybody and, before any removal, a second one over people outside the group (RESYNC-5). */
function leastReads(members: number, { guild }: ResyncMeasures): number {
  const absent = Math.floor((guild.differing + 1) / 3);
  const groups = [{ groupId: guild.groupId, memberCount: members - absent }];
  const least = (users: number) => planMembershipReads({ users, groups, openCloud: true, groupsPerUser: 1 }).requests;
  return least(members) + (absent === 0 ? 0 : least(absent));
}

function describe(
  members: number,
  { planningMs, applyingMs, planned, all, load, idleUpdates, busyUpdates, laterUpdates }: ResyncMeasures,
): void {
  const seconds = (ms: number) => `${(ms / 1000).toFixed(1)} s`;
  say(`\n${members} members: planned in ${seconds(planningMs)}, applied in ${seconds(applyingMs)}.`);
  say(`  Roblox, while planning: ${JSON.stringify(planned.roblox)}`);
  say(`  Discord, in all: ${JSON.stringify(all.discord)}`);
  if (busyUpdates.length > 0) {
    const list = (ms: readonly number[]) => ms.map((value) => value.toFixed(0)).join(' ');
    say(`  /update in ms: idle ${list(idleUpdates)}; during ${list(busyUpdates)}; during others ${list(laterUpdates)}`);
  }
  say(`  Longest event-loop delay ${load.delayMax.toFixed(0)} ms; peak memory ${load.peakMemory.toFixed(0)} MB`);
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
