import type { Guild } from '../../core/guilds/guild-service.js';
import { AppError, GamePlatformUnavailable } from '../../lib/errors.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { type GuildMember, readMember } from '../../platforms/discord/guild-members.js';
import { importSourceOf } from '../accounts/account-import.js';
import type { ImportSource } from '../accounts/account-model.js';
import type { Member } from '../members/member-model.js';
import { keepPerson } from '../members/member-service.js';
import { planMember, readMemberState } from '../sync/plan/member-state.js';
import type { MemberNow } from './member-detail-view.js';

/**
 * Reads a member's current data on both platforms. A platform that does not answer is named, and the other's data is
 * returned.
 */
export async function readMemberNow(guild: Guild, chatUserId: string): Promise<MemberNow> {
  let onDiscord: GuildMember | null = null;
  try {
    onDiscord = await readMember(guild._id, chatUserId);
    if (onDiscord === null) return { onDiscord, standing: null, unavailable: null };
    const standing = await readMemberState(guild, chatUserId, { fresh: false });
    if (standing.stored !== null) await keepPerson(standing.stored, onDiscord);
    const plan = planMember(standing, onDiscord, await readGuildFacts(guild._id));
    return { onDiscord, standing: { ...standing, plan }, unavailable: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
    const game = error instanceof GamePlatformUnavailable;
    return { onDiscord, standing: null, unavailable: game ? 'game_platform_unavailable' : 'chat_platform_unavailable' };
  }
}

/** The source of a member's imported account; null for a proved one, and for a member without account. */
export async function importSourceOfMember(
  member: Pick<Member, 'chatUserId' | 'gameUserId'>,
): Promise<ImportSource | null> {
  return member.gameUserId === undefined ? null : importSourceOf(member.chatUserId, member.gameUserId);
}
