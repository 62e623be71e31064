import { AppError } from '../../../lib/errors.js';
import { type GuildMember, readMember } from '../../../platforms/discord/guild-members.js';
import type { MemberNow } from './member-detail-view.js';
import { previewMember } from './member-sync.js';

/**
 * What both platforms say of a member now. A platform that does not answer is named, and the rest is told all the same.
 */
export async function readMemberNow(guildId: string, chatUserId: string): Promise<MemberNow> {
  let onDiscord: GuildMember | null = null;
  try {
    onDiscord = await readMember(guildId, chatUserId);
    const standing = onDiscord === null ? null : await previewMember(guildId, onDiscord);
    return { onDiscord, standing, unavailable: null };
  } catch (error) {
    if (!(error instanceof AppError) || error.kind !== 'unavailable') throw error;
    const game = error.code === 'game_platform_unavailable';
    return { onDiscord, standing: null, unavailable: game ? 'game_platform_unavailable' : 'chat_platform_unavailable' };
  }
}
