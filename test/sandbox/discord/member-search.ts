import type { DiscordState } from './discord-state.js';
import type { StoredGuild, StoredMember } from './sandbox-model.js';
import { compareSnowflakes } from './snowflakes.js';

/** Members in the order of their ids, after `after`; the way in which Discord pages them. */
export function pageMembers(guild: StoredGuild, after: string, limit: number): StoredMember[] {
  guild.memberOrder ??= [...guild.members.keys()].sort(compareSnowflakes);
  const order = guild.memberOrder;
  const start = firstAfter(order, after);
  return order.slice(start, start + limit).flatMap((id) => guild.members.get(id) ?? []);
}

/** Members whose username, display name or nickname begins with `prefix`, in any case. */
export function findMembers(state: DiscordState, guild: StoredGuild, prefix: string, limit: number): StoredMember[] {
  const wanted = prefix.toLowerCase();
  const matches: StoredMember[] = [];
  for (const member of guild.members.values()) {
    if (matches.length === limit) break;
    const { username, globalName } = state.user(member.userId);
    const names = [username, globalName ?? '', member.nickname ?? ''];
    if (names.some((name) => name.toLowerCase().startsWith(wanted))) matches.push(member);
  }
  return matches;
}

/** Index of the first id greater than `after`, by bisection: guilds can have 100,000 members. */
function firstAfter(order: readonly string[], after: string): number {
  let low = 0;
  let high = order.length;
  while (low < high) {
    const middle = (low + high) >>> 1;
    if (compareSnowflakes(order[middle] ?? '', after) > 0) high = middle;
    else low = middle + 1;
  }
  return low;
}
