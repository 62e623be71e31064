import { setTimeout as delay } from 'node:timers/promises';
import mongoose from 'mongoose';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { buildCrowd, type CrowdPerson, type CrowdShape } from './freshness-crowd.js';
import { serveParent } from './remote-process.js';

// Both sandboxes' process, with the real ones' limits: it promotes people and checks when they have their roles.

const [discord, roblox] = await Promise.all([startDiscordSandbox(), startRobloxSandbox()]);
const promoteEveryMs = 2_000;
const swapEveryMs = 30_000;
const pollEveryMs = 200;
const officer = 100;

interface Change {
  kind: 'promotion' | 'swap';
  people: CrowdPerson[];
  at: number;
}

let people: CrowdPerson[] = [];
const open = new Set<Change>();
const latencies: Record<Change['kind'], number[]> = { promotion: [], swap: [] };
const perMinute: { memberships: number; roles: number; logs: number }[] = [];
const busy = new Set<CrowdPerson>();

const countOf = (path: RegExp) => roblox.requests.filter((request) => path.test(request.path)).length;
const counts = () => ({
  memberships: countOf(/^\/cloud\/.*\/memberships$/),
  roles: countOf(/^\/cloud\/v2\/groups\/\d+\/roles$/),
  logs: countOf(/\/audit-log$/),
});

/** An unused person with this rank, in a guild if one is given. */
function anyone(rank: number, guildId?: string): CrowdPerson | undefined {
  const free = people.filter((it) => it.rank === rank && !busy.has(it) && (guildId ?? it.guildId) === it.guildId);
  return free[Math.floor(Math.random() * free.length)];
}

function change(kind: Change['kind'], those: CrowdPerson[]): void {
  for (const person of those) {
    person.rank = person.rank === officer ? 1 : officer;
    roblox.setRank(person.groupId, person.gameUserId, person.rank);
    busy.add(person);
  }
  open.add({ kind, people: those, at: performance.now() });
}

function isDone({ guildId, chatUserId, officerRole, rank }: CrowdPerson): boolean {
  return (discord.member(guildId, chatUserId)?.roleIds.includes(officerRole) ?? false) === (rank === officer);
}

async function lookOn(signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    for (const it of open) {
      if (!it.people.every(isDone)) continue;
      latencies[it.kind].push((performance.now() - it.at) / 1000);
      open.delete(it);
    }
    await delay(pollEveryMs);
  }
}

async function countMinutes(signal: AbortSignal): Promise<void> {
  for (let before = counts(); !signal.aborted; ) {
    await delay(60_000);
    const now = counts();
    const since = (kind: keyof typeof now) => now[kind] - before[kind];
    perMinute.push({ memberships: since('memberships'), roles: since('roles'), logs: since('logs') });
    before = now;
  }
}

export const freshnessVerbs = {
  environment: (_: null) => sandboxEnvironment(discord, roblox),
  async fill({ shape, databaseUri }: { shape: CrowdShape; databaseUri: string }): Promise<number> {
    const connection = await mongoose.createConnection(databaseUri).asPromise();
    if (!connection.db) throw new Error('The database is not connected.');
    people = await buildCrowd(shape, { discord, roblox, database: connection.db });
    await connection.close();
    return people.length;
  },
  calls: (_: null) => counts(),
  /** Promotes and swaps people for this time, then waits until all have their roles, 15 minutes at most. */
  async play({ minutes }: { minutes: number }) {
    discord.forgetRequests();
    roblox.forgetRequests();
    const stop = new AbortController();
    const watching = lookOn(stop.signal);
    void countMinutes(stop.signal);
    let changes = 0;
    const end = performance.now() + minutes * 60_000;
    for (let swapAt = 0; performance.now() < end; await delay(promoteEveryMs)) {
      const person = anyone(1);
      if (person !== undefined) change('promotion', [person]);
      changes += person === undefined ? 0 : 1;
      if (performance.now() < swapAt) continue;
      swapAt = performance.now() + swapEveryMs;
      const [up, down] = [anyone(1), undefined as CrowdPerson | undefined];
      const other = down ?? anyone(officer, up?.guildId);
      if (up === undefined || other === undefined) continue;
      change('swap', [up, other]);
      changes += 2;
    }
    for (const last = performance.now() + 15 * 60_000; open.size > 0 && performance.now() < last; ) await delay(1_000);
    stop.abort();
    await watching;
    const isWrite = ({ method, path }: { method: string; path: string }) =>
      method !== 'GET' && path.includes('/members/');
    const writes = discord.requests.filter(isWrite).length;
    const refused = roblox.requests.filter(({ status }) => status === 429).length;
    return { latencies, changes, writes, refused, left: open.size, perMinute };
  },
};

serveParent(freshnessVerbs);
