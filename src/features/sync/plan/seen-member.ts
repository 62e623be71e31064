import { z } from 'zod';
import type { GuildMember } from '../../../platforms/discord/guild-members.js';

/**
 * Everything about a member on Discord that a plan depends on. A whole `GuildMember` is one, but this is none: the role
 * list can't be changed.
 */
export type SeenMember = Omit<GuildMember, 'avatar' | 'roleIds'> & {
  roleIds: readonly string[];
};

/** A seen member's stored part; ids and names stand beside it. */
export const seenFields = z.strictObject({
  roleIds: z.array(z.string()),
  nickname: z.string().nullable(),
  /** The display name and tag; null: none. Absent in older versions' plans, whose members are read again. */
  profile: z.string().nullable().exactOptional(),
  /** Whether they had not yet accepted the guild's rules. */
  pending: z.boolean().exactOptional(),
  isGuest: z.literal(true).exactOptional(),
});
export type Seen = z.output<typeof seenFields>;

/** The stored part of a member that a plan has seen. Pure. */
export function seenOf({ roleIds, nickname, profile, pending, isGuest }: SeenMember): Seen {
  const shown = { profile: profile ?? null, ...(pending !== undefined && { pending }), ...(isGuest && { isGuest }) };
  return { roleIds: [...roleIds], nickname, ...shown };
}

/** The seen member with this stored part. Pure. */
export function seenFrom(
  chatUserId: string,
  username: string,
  { roleIds, nickname, profile, ...others }: Seen,
): SeenMember {
  return { chatUserId, username, roleIds, nickname, ...(typeof profile === 'string' && { profile }), ...others };
}
