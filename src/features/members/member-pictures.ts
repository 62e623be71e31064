import { trusted } from 'mongoose';
import { avatarUrl } from '../../platforms/discord/signed-in-user.js';
import { readHeadshots } from '../../platforms/roblox/game-headshots.js';
import { Members, memberIndexes } from './member-model.js';

/** Picture addresses by people's Discord ids. */
type Pictures = Record<string, string>;

/**
 * Pictures for at most 100 guild members: linked members' Roblox heads, and Discord pictures. Missing or unavailable
 * pictures are left out.
 */
export async function picturesOf(
  guildId: string,
  ids: readonly string[],
): Promise<{ pictures: Pictures; avatars: Pictures }> {
  const among = { guildId, chatUserId: trusted({ $in: [...ids] }) };
  const members = await Members.find(among, { hint: memberIndexes.chatUserId });
  const heads = await readHeadshots(members.flatMap(({ gameUserId }) => gameUserId ?? []));
  const by = (addressOf: (member: (typeof members)[number]) => string | null | undefined): Pictures =>
    Object.fromEntries(
      members.flatMap((member) => [[member.chatUserId, addressOf(member) ?? '']]).filter(([, url]) => url),
    );
  return {
    pictures: by(({ gameUserId = '' }) => heads.get(gameUserId)),
    avatars: by(({ chatUserId, chatAvatar = null }) => avatarUrl(chatUserId, chatAvatar)),
  };
}
