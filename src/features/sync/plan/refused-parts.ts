import { clock } from '../../../lib/clock.js';
import { hourMs, minuteMs } from '../../../lib/time.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import type { Member } from '../../members/member-model.js';
import type { RefusedPart } from '../../members/member-sync-fields.js';
import type { SeenMember } from './seen-member.js';

/** Short enough that the daily reconciliation tries again. */
const validMs = 20 * hourMs;
/** A person who asks for a sync may have mended the cause at Discord. */
const validForPersonMs = minuteMs;

/** One part of a sync that Discord may refuse. */
export type SyncPart =
  | { part: 'give' | 'take'; roleId: string }
  | { part: 'nickname'; nickname: string | null; member: Pick<SeenMember, 'username' | 'profile'> };

/** The refusals that keep a part from being tried; `byPerson`: a person has asked for the sync (SYNC-30). */
export function refusedLately(
  stored: Partial<Pick<Member, 'refused'>> | null,
  byPerson: boolean,
): readonly RefusedPart[] {
  const since = clock.epochMs() - (byPerson ? validForPersonMs : validMs);
  return stored?.refused?.filter(({ at }) => at.getTime() > since) ?? [];
}

/** A refused part in its stored form. `words` are Discord's. */
export function refusedPartOf(wished: SyncPart, words: string, facts: GuildFacts): RefusedPart {
  const { part } = wished;
  const kept = { part, words, key: keyOf(wished, facts), at: clock.now() };
  if (wished.part === 'nickname') return { ...kept, name: wished.nickname };
  return { ...kept, roleId: wished.roleId, name: facts.roles.get(wished.roleId)?.name ?? wished.roleId };
}

/** This part's stored refusal, if everything relevant is unchanged since. Pure. */
export function storedRefusal(
  refused: readonly RefusedPart[],
  wished: SyncPart,
  facts: GuildFacts,
): RefusedPart | undefined {
  if (refused.length === 0) return undefined;
  const key = keyOf(wished, facts);
  return refused.find((each) => each.part === wished.part && each.key === key);
}

const refusedPrefix = 'refused:';

export const obstacleOfRefusal = ({ part, key }: RefusedPart): string =>
  `${refusedPrefix}${part === 'nickname' ? part : `${part}:${key}`}`;

export const refusalRange = { $gte: refusedPrefix, $lt: 'refused;' } as const;
/** Matches the same obstacles. */
export const refusals = new RegExp(`^${refusedPrefix}`);

/** Whether an obstacle is a role's refusal and the role, or the bot's place, has changed since. Pure. */
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
