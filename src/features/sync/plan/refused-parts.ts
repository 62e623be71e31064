import { clock } from '../../../lib/clock.js';
import { hourMs } from '../../../lib/time.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';
import type { Member } from '../../members/member-model.js';
import type { RefusedPart } from '../../members/member-sync-fields.js';

/** Often enough that the daily catch-up tries again. */
const standsForMs = 20 * hourMs;

/** What a sync may ask of Discord by itself. */
export type SyncPart =
  | { part: 'give' | 'take'; roleId: string }
  | { part: 'nickname'; nickname: string | null; member: Pick<GuildMember, 'username' | 'profile'> };

/** What Discord has refused of somebody lately. */
export function refusedLately(stored: Partial<Pick<Member, 'refused'>> | null): readonly RefusedPart[] {
  const since = clock.epochMs() - standsForMs;
  return stored?.refused?.filter(({ at }) => at.getTime() > since) ?? [];
}

/** A part as it is kept once Discord has refused it, in its `words`. */
export function refusedPartOf(wished: SyncPart, words: string, facts: GuildFacts): RefusedPart {
  const { part } = wished;
  const kept = { part, words, key: keyOf(wished, facts), at: clock.now() };
  if (wished.part === 'nickname') return { ...kept, name: wished.nickname };
  return { ...kept, roleId: wished.roleId, name: facts.roles.get(wished.roleId)?.name ?? wished.roleId };
}

/** The refusal that still stands of this part, as all that may matter is as it was then. Pure. */
export function standingRefusal(
  refused: readonly RefusedPart[],
  wished: SyncPart,
  facts: GuildFacts,
): RefusedPart | undefined {
  if (refused.length === 0) return undefined;
  const key = keyOf(wished, facts);
  return refused.find((each) => each.part === wished.part && each.key === key);
}

/** What blocks a part is named by this in `blockedBy`. */
const refusedPrefix = 'refused:';

/** The obstacle that a refusal is, for `blockedBy`. Pure. */
export const obstacleOfRefusal = ({ part, key }: RefusedPart): string =>
  `${refusedPrefix}${part === 'nickname' ? part : `${part}:${key}`}`;

/** All obstacles that are refusals lie in this range. */
export const refusalRange = { $gte: refusedPrefix, $lt: 'refused;' } as const;

/** Whether an obstacle is a role's refusal before something of the role, or of the bot's place, has changed. Pure. */
export function isOutdated(obstacle: string, facts: GuildFacts): boolean {
  const [, part, roleId] = obstacle.split(':');
  if (roleId === undefined || (part !== 'give' && part !== 'take')) return false;
  return obstacle !== `${refusedPrefix}${part}:${keyOf({ part, roleId }, facts)}`;
}

function keyOf(wished: SyncPart, { roles, bot }: GuildFacts): string {
  const { permissions, highestRole } = bot;
  if (wished.part === 'nickname') {
    const { username, profile = '' } = wished.member;
    return JSON.stringify([wished.nickname, username, profile, String(permissions), highestRole.position]);
  }
  const { position, permissions: ofRole } = roles.get(wished.roleId) ?? {};
  return [wished.roleId, position, ofRole, highestRole.position, permissions].join(':');
}
