import { type Actor, isOfGuildToken } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { AppError } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import type { GameUser } from '../../platforms/roblox/game-users.js';
import { requireUse } from '../accounts/account-choices.js';
import { AccountChoiceNeeded } from '../accounts/account-places.js';
import type { Account } from '../accounts/account-service.js';
import type { AccountUse } from '../accounts/account-use.js';
import { GameAccountHeld } from '../accounts/proof-strength.js';
import { syncMember } from '../sync/member/member-sync.js';
import { requireThere, type SyncResult } from '../sync/member/sync-result.js';
import { holdClaim } from './claims.js';
import type { RejectionReason } from './failure-words.js';
import { failSession, linkAndComplete } from './proof-completion.js';
import { ProofRejected, rejectionReason } from './proof-rejected.js';
import { holdTransfer } from './transfers.js';
import { proofGoingOn, refuseUnlessPending, verificationFailed } from './verification-failed.js';
import type { ProvenGame, StoredVerification } from './verification-model.js';
import { openSession, type VerificationSession } from './verification-session.js';
import { type ClaimedVerification, claimProof, findVerification, updateProof } from './verification-store.js';

export interface ProofEntry {
  token: string;
  actor: Actor;
  stored: StoredVerification;
  guild: Guild | null;
  /** The use that the person chose for the account; absent: they are asked where there is a choice. */
  use?: AccountUse;
}

/**
 * The result when a proof holds. `account` is null while the session waits for its person or for the account's owner
 * (VER-4). `sync` is null without a guild, or when it failed and will be run again.
 */
export interface Completion {
  session: VerificationSession;
  account: Account | null;
  sync: SyncResult | null;
}

/**
 * Runs one proof. `look` returns the proven account or throws an error that `rejectionReason` knows. The attempt is
 * stored before `look`, and the link with its pending sync before the session is completed. So the same proof can be
 * repeated after a crash. A proof by a guild's token is a claim, and creates no link (VER-11). Throws
 * VerificationFailed, GamePlatformUnavailable, and `refuseUnlessPending`'s errors.
 */
export async function runProof(
  entry: ProofEntry,
  gameUsername: string | null,
  look: (claimed: ClaimedVerification) => Promise<GameUser>,
): Promise<Completion> {
  const claimed = await claimProof(entry.stored, gameUsername, entry.actor);
  if (claimed === null) return refuseAsItIsNow(entry);
  return finishProof(
    entry,
    claimed,
    async () => {
      const { gameUserId, gameUsername: name, gameDisplayName, createdAt } = await look(claimed);
      return { gameUserId, gameUsername: name, gameDisplayName, gameCreatedAt: createdAt };
    },
    { $inc: { attempts: -1 } },
  );
}

/**
 * Gives the person the account that `prove` returns, or holds it if someone else must approve. After an error that is
 * not about the proof, `giveBack` restores the session, and the proof can be tried again immediately.
 */
export async function finishProof(
  entry: ProofEntry,
  claimed: ClaimedVerification,
  prove: () => Promise<ProvenGame>,
  giveBack: { $inc?: { attempts: -1 } } = {},
): Promise<Completion> {
  try {
    const game = await prove();
    const outcome = isOfGuildToken(entry.actor)
      ? await waiting(entry, holdClaim(claimed, game, entry))
      : await linkOrHold(entry, claimed, game);
    return outcome ?? (await refuseAsItIsNow(entry));
  } catch (error) {
    const reason = rejectionReason(error);
    if (reason !== null) return fail(entry, claimed, reason);
    await updateProof(claimed, { $set: { proof: null }, ...giveBack }).catch((err: unknown) =>
      logger.error({ err }, 'proof not released: it expires on its own'),
    );
    throw error;
  }
}

async function linkOrHold(
  entry: ProofEntry,
  claimed: ClaimedVerification,
  game: ProvenGame,
): Promise<Completion | null> {
  try {
    if (entry.use !== undefined) await requireUse(claimed, game.gameUserId, entry.use);
    // The platform's token replaces the account, since nobody is there to choose.
    const use = entry.use ?? (entry.actor.kind === 'user' ? 'ask' : 'replace');
    const completed = await linkAndComplete(claimed, game, entry.actor, { use });
    if (completed === null) return null;
    const session = await openSession(completed.stored, entry.token);
    return { session, account: completed.account, sync: await syncLinked(entry, claimed.chatUserId) };
  } catch (error) {
    if (error instanceof AccountChoiceNeeded) return waiting(entry, holdChoice(claimed, game));
    if (!(error instanceof GameAccountHeld)) throw error;
    // A server's word moves no account, not even after a day.
    if (claimed.method === 'game_code') throw new ProofRejected('stronger_proof', { cause: error });
    return waiting(
      entry,
      holdTransfer({ ...claimed, ...(entry.use && { use: entry.use }) }, game, error.ownerId, entry.actor),
    );
  }
}

/**
 * Keeps the proved account until its person chooses its use (VER-35). Nothing else changes: a guild's token must not
 * learn about another account. Null if the proof had expired.
 */
const holdChoice = (claimed: ClaimedVerification, game: ProvenGame): Promise<StoredVerification | null> =>
  updateProof(claimed, { $set: { proof: null, game, choosing: true } });

/** The result while the session waits. */
async function waiting({ token }: ProofEntry, holding: Promise<StoredVerification | null>): Promise<Completion | null> {
  const held = await holding;
  return held && { session: await openSession(held, token), account: null, sync: null };
}

/** The link stays even if this sync fails: a pending sync is stored. */
async function syncLinked({ guild, actor }: ProofEntry, chatUserId: string): Promise<SyncResult | null> {
  if (guild === null) return null;
  try {
    return requireThere(await syncMember(guild, chatUserId, { trigger: 'verification', actor }));
  } catch (error) {
    const expected = error instanceof AppError;
    logger[expected ? 'info' : 'error'](
      { err: error, guildId: guild._id, chatUserId },
      'sync after verification failed',
    );
    return null;
  }
}

async function fail(entry: ProofEntry, claimed: ClaimedVerification, reason: RejectionReason): Promise<never> {
  const failed = await failSession(claimed, reason, entry.actor);
  if (failed === null) return refuseAsItIsNow(entry);
  throw await verificationFailed(reason, failed, entry.token);
}

async function refuseAsItIsNow({ stored, token }: ProofEntry): Promise<never> {
  const now = (await findVerification({ _id: stored._id })) ?? stored;
  await refuseUnlessPending(now, token);
  throw proofGoingOn();
}
