import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';
import { minuteMs } from '../../lib/time.js';
import type { GuildMember } from './guild-members.js';

/** Member changes that this process recently requested from Discord. Their events contain nothing new. */
const recent = new LRUCache<string, true>({
  max: 20_000,
  ttl: minuteMs,
  ttlResolution: 0,
  perf: { now: () => clock.monotonicMs() },
});

type Seen = Pick<GuildMember, 'roleIds' | 'nickname'>;

/** The role and nickname changes between two states, each as a text. */
function changesOf(before: Seen, after: Partial<Seen>): string[] {
  const { roleIds = before.roleIds, nickname = before.nickname } = after;
  const given = roleIds.filter((roleId) => !before.roleIds.includes(roleId)).map((roleId) => `+${roleId}`);
  const taken = before.roleIds.filter((roleId) => !roleIds.includes(roleId)).map((roleId) => `-${roleId}`);
  return [...given, ...taken, ...(nickname === before.nickname ? [] : [`=${nickname}`])];
}

const keyOf = (guildId: string, chatUserId: string, change: string): string => `${guildId} ${chatUserId} ${change}`;

/** Notes that a call is about to make these changes to a member: `+role`, `-role` or `=nickname`. */
export function noteOwnWrite(guildId: string, chatUserId: string, changes: readonly string[]): void {
  for (const change of changes) recent.set(keyOf(guildId, chatUserId, change), true);
}

/** Notes that a call is about to edit a member from one state to another. */
export function noteOwnEdit(guildId: string, chatUserId: string, before: Seen, edit: Partial<Seen>): void {
  noteOwnWrite(guildId, chatUserId, changesOf(before, edit));
}

/** Whether this process requested all changes in a member event in the last minute. */
export function isOwnWrite(guildId: string, before: Seen, after: GuildMember): boolean {
  return changesOf(before, after).every((change) => recent.has(keyOf(guildId, after.chatUserId, change)));
}
