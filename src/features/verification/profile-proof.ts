import { findGameUserByName, type GameUser, readGameUser } from '../../platforms/roblox/game-users.js';
import { containsPhrase } from './phrase.js';
import { acceptAccount, ProofRejected } from './proof-rejected.js';

/**
 * Looks for `phrase` in the About text of the Roblox account called `gameUsername`, read past the cache. Throws
 * ProofRejected and GamePlatformUnavailable.
 */
export async function proveByProfile(gameUsername: string, phrase: string, minimumAgeDays: number): Promise<GameUser> {
  const found = await findGameUserByName(gameUsername);
  const read = found === null ? null : await readGameUser(found.gameUserId, { fresh: true });
  const user = acceptAccount(read, minimumAgeDays);
  if (!containsPhrase(user.about, phrase)) throw new ProofRejected('code_not_found');
  return user;
}
