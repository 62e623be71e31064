import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';
import { isKeptByGateway, keptRoleIds } from './guild-facts.js';
import type { GuildMember } from './guild-member.js';

/** A member as this process last saw them; null: not in the guild. */
export interface SeenMember {
  member: GuildMember | null;
  asOf: Date;
}

interface Seen extends SeenMember {
  /** The gateway session that reports every change since. */
  session: number;
}

/** About half a kilobyte each. */
const mostSeen = 5_000;

const seen = new LRUCache<string, Seen>({ max: mostSeen });
/** The readings under way: a change that the gateway reports meanwhile is newer than their answers. */
const readings = new Map<string, Set<symbol>>();
let session = 0;

const keyOf = (guildId: string, chatUserId: string): string => `${guildId}:${chatUserId}`;

/** Runs a member's reading, and keeps its answer unless the member changed meanwhile. */
export async function keepReading(
  guildId: string,
  chatUserId: string,
  read: () => Promise<GuildMember | null>,
): Promise<GuildMember | null> {
  const key = keyOf(guildId, chatUserId);
  const mark = Symbol(key);
  const marks = readings.get(key) ?? new Set();
  readings.set(key, marks.add(mark));
  const began = session;
  try {
    const member = await read();
    if (marks.has(mark)) seen.set(key, { member, asOf: clock.now(), session: began });
    return member;
  } finally {
    marks.delete(mark);
    if (marks.size === 0) readings.delete(key);
  }
}

/** The gateway reports a member's present state; null: they left. Only members seen before are kept. */
export function noteReported(guildId: string, chatUserId: string, member: GuildMember | null): void {
  const key = keyOf(guildId, chatUserId);
  readings.get(key)?.clear();
  if (seen.has(key)) seen.set(key, { member, asOf: clock.now(), session });
}

/** This process changes a member, so that what it saw is no longer true. */
export function forgetSeen(guildId: string, chatUserId: string): void {
  const key = keyOf(guildId, chatUserId);
  readings.get(key)?.clear();
  seen.delete(key);
}

/** A new gateway session has begun, and earlier events may be lost. */
export function endSeenSession(): void {
  session += 1;
}

/** A member as seen last, however long ago. */
export function lastSeen(guildId: string, chatUserId: string): SeenMember | undefined {
  return seen.get(keyOf(guildId, chatUserId));
}

/** A member as they are now, if the gateway has reported every change since this process saw them. */
export function seenNow(guildId: string, chatUserId: string): SeenMember | undefined {
  const known = seen.get(keyOf(guildId, chatUserId));
  if (known === undefined || known.session !== session || !isKeptByGateway(guildId)) return undefined;
  // Discord reports a deleted role once, and not for each holder.
  const { member } = known;
  const roleIds = member === null ? [] : keptRoleIds(guildId, member.roleIds);
  return { member: member && { ...member, roleIds }, asOf: clock.now() };
}
