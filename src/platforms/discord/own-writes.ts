import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/time.js';
import type { GuildMember } from './guild-members.js';

/** What this process has lately asked Discord to change about members. The event of such a change tells it nothing. */
const recent = new LRUCache<string, true>({
  max: 20_000,
  ttl: minuteMs,
  ttlResolution: 0,
  perf: { now: () => clock.monotonicMs() },
});

type Seen = Pick<GuildMember, 'roleIds' | 'nickname'>;

/** Each change of roles and nickname from one state to another, as a text. */
function changesOf(before: Seen, after: Partial<Seen>): string[] {
  const { roleIds = before.roleIds, nickname = before.nickname } = after;
  const given = roleIds.filter((roleId) => !before.roleIds.includes(roleId)).map((roleId) => `+${roleId}`);
  const taken = before.roleIds.filter((roleId) => !roleIds.includes(roleId)).map((roleId) => `-${roleId}`);
  return [...given, ...taken, ...(nickname === before.nickname ? [] : [`=${nickname}`])];
}

const keyOf = (guildId: string, chatUserId: string, change: string): string => `${guildId} ${chatUserId} ${change}`;

/** A call is about to make these changes of a member: `+role`, `-role` or `=nickname`. */
export function noteOwnWrite(guildId: string, chatUserId: string, changes: readonly string[]): void {
  for (const change of changes) recent.set(keyOf(guildId, chatUserId, change), true);
}

/** A call is about to edit a member from one state to another. */
export function noteOwnEdit(guildId: string, chatUserId: string, before: Seen, edit: Partial<Seen>): void {
  noteOwnWrite(guildId, chatUserId, changesOf(before, edit));
}

/** Whether all that an event changes of a member was asked for by this process in the last minute. */
export function isOwnWrite(guildId: string, before: Seen, after: GuildMember): boolean {
  return changesOf(before, after).every((change) => recent.has(keyOf(guildId, after.chatUserId, change)));
}
