import { findGameUser } from '../../platforms/roblox/game-user-search.js';
import type { GameUser } from '../../platforms/roblox/game-users.js';
import { containsPhrase } from './phrase.js';
import { acceptAccount, ProofRejected } from './proof-rejected.js';

/**
 * Searches for `phrase` in a Roblox account's About text, read past the cache. `gameUsername` is its name, profile
 * address or id. Throws ProofRejected and GamePlatformUnavailable.
 */
export async function proveByProfile(gameUsername: string, phrase: string, minimumAgeDays: number): Promise<GameUser> {
  const user = acceptAccount(await findGameUser(gameUsername), minimumAgeDays);
  if (!containsPhrase(user.about, phrase)) throw new ProofRejected('code_not_found');
  return user;
}
