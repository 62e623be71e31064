import type { Actor } from '../../core/actors/actor.js';
import { InvalidRequest } from '../../lib/errors.js';
import type { ConnectedGame } from '../../platforms/discord/signed-in-user.js';
import { type GameUser, readGameUser } from '../../platforms/roblox/game-users.js';
import { acceptAccount, ProofRejected } from './proof-rejected.js';
import { type Completion, runProof } from './proof-run.js';
import { enterPending, retryVerification } from './verification-service.js';
import { keepConnected } from './verification-store.js';

/**
 * Takes the Roblox accounts that Discord reports for the person, for a session by any method. One account is linked or
 * held (VER-20). With several, returns null, and the person chooses with `completeByConnection`. Throws as
 * `retryVerification` and `completeByProfile` do.
 */
export async function takeConnections(
  token: string,
  connected: readonly ConnectedGame[],
  actor: Actor,
): Promise<Completion | null> {
  await retryVerification(token, 'discord_connection', actor);
  const { stored } = await enterPending(token, actor, 'discord_connection');
  await keepConnected(stored, connected);
  return connected.length > 1 ? null : completeByConnection(token, connected[0]?.gameUserId ?? '', actor);
}

/** Links or holds one account that Discord reported (VER-22). Throws as `completeByProfile` does. */
export async function completeByConnection(token: string, gameUserId: string, actor: Actor): Promise<Completion> {
  const { rules, ...entry } = await enterPending(token, actor, 'discord_connection');
  const { connected = null } = entry.stored;
  if (connected === null) {
    throw new InvalidRequest([
      { path: 'token', message: 'waits for Discord to tell the account: continue there first' },
    ]);
  }
  const chosen = connected.find((game) => game.gameUserId === gameUserId);
  return runProof(entry, null, () => proveByConnection(chosen, rules.minimumAccountAgeDays));
}

/**
 * Reads the account by the id that Discord has for it. That this is Roblox's id is documented nowhere, so that the name
 * has to agree as well.
 */
async function proveByConnection(connected: ConnectedGame | undefined, minimumAgeDays: number): Promise<GameUser> {
  if (connected === undefined) throw new ProofRejected('connection_missing');
  const { gameUserId, name } = connected;
  const user = acceptAccount(await readGameUser(gameUserId, { fresh: true }), minimumAgeDays);
  const names = [user.gameUsername, user.gameDisplayName].map((known) => known.toLowerCase());
  if (!names.includes(name.toLowerCase())) throw new ProofRejected('connection_differs');
  return user;
}
