import type { Guild } from '../../core/guilds/guild-service.js';
import { AppError, GamePlatformUnavailable } from '../../lib/errors.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { type GuildMember, lookUpMember } from '../../platforms/discord/guild-members.js';
import { HeldBack } from '../../platforms/discord/rest/invalid-request-guard.js';
import { keepPerson } from '../members/member-service.js';
import { asHeld } from '../sync/member/removal-limit.js';
import { planMember, readMemberState } from '../sync/plan/member-state.js';
import type { MemberNow } from './member-detail-view.js';
import { removalsWait } from './member-why.js';

/**
 * Reads a member's current data on both platforms; `fresh`: Discord is asked. A platform that does not answer is named,
 * and the other's data is returned. Throws HeldBack if Discord's limits are used up and nothing is known.
 */
export async function readMemberNow(guild: Guild, chatUserId: string, fresh: boolean): Promise<MemberNow> {
  let onDiscord: GuildMember | null = null;
  let asOf: Date | null = null;
  try {
    const found = await lookUpMember(guild._id, chatUserId, fresh);
    ({ member: onDiscord, asOf } = found);
    if (onDiscord === null) return { onDiscord, asOf, memberState: null, unavailable: null };
    const memberState = await readMemberState(guild, chatUserId, { fresh: false });
    if (memberState.stored !== null && found.isRead) await keepPerson(memberState.stored, onDiscord);
    const planned = planMember(memberState, onDiscord, await readGuildFacts(guild._id));
    const plan = asHeld(memberState.stored, planned);
    const held = await removalsWait(guild._id, plan);
    return { onDiscord, asOf, memberState: { ...memberState, plan }, ...held, unavailable: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'unavailable' || error instanceof HeldBack) throw error;
    const game = error instanceof GamePlatformUnavailable;
    return {
      onDiscord,
      asOf,
      memberState: null,
      unavailable: game ? 'game_platform_unavailable' : 'chat_platform_unavailable',
    };
  }
}
