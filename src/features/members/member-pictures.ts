import { trusted } from 'mongoose';
import { readHeadshots } from '../../platforms/roblox/game-headshots.js';
import { Members, memberIndexes } from './member-model.js';

/**
 * The addresses of the Roblox head pictures of at most 100 members of a guild, by their Discord ids. Who is not linked
 * there, or of whom Roblox has none or does not answer, is left out.
 */
export async function picturesOf(guildId: string, ids: readonly string[]): Promise<Record<string, string>> {
  const among = { guildId, chatUserId: trusted({ $in: [...ids] }), state: 'linked' as const };
  const linked = await Members.find(among, { hint: memberIndexes.chatUserId });
  const pictures = await readHeadshots(linked.flatMap(({ gameUserId }) => gameUserId ?? []));
  return Object.fromEntries(
    linked.flatMap(({ chatUserId, gameUserId = '' }) => {
      const url = pictures.get(gameUserId);
      return url === undefined ? [] : [[chatUserId, url]];
    }),
  );
}
