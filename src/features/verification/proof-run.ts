import { requireStillActive } from '../../core/access/guild-access.js';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { countFact } from '../../core/counters/daily-counters.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { AppError } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import type { EventData, EventName } from '../../platforms/events/event-types.js';
import { newEvent, push } from '../../platforms/events/outbox.js';
import { type Account, linkAccount } from '../members/account-service.js';
import type { GameIdentity } from '../members/member-model.js';
import { type SyncResult, syncMember } from '../sync/member/member-sync.js';
import type { RejectionReason } from './failure-words.js';
import { rejectionReason } from './proof-rejected.js';
import { proofGoingOn, refuseUnlessPending, verificationFailed } from './verification-failed.js';
import type { StoredVerification } from './verification-model.js';
import { openSession, type VerificationSession } from './verification-session.js';
import { type ClaimedVerification, claimProof, findVerification, updateProof } from './verification-store.js';

/** A pending session, its guild, and the actor of the proof. */
export interface ProofEntry {
  token: string;
  actor: Actor;
  stored: StoredVerification;
  guild: Guild | null;
}

/** The result of a successful proof. `sync` is null without a guild, or when it failed and will be run again. */
export interface Completion {
  session: VerificationSession;
  account: Account;
  sync: SyncResult | null;
}

/**
 * Runs one proof. `look` returns the proven account or throws an error that `rejectionReason` knows. The attempt is
 * stored before `look`, and the link (with the sync it owes) before the session is completed: after a crash anywhere
 * the same proof can be repeated. Throws VerificationFailed and what `refuseUnlessPending` throws.
 */
export async function runProof(
  entry: ProofEntry,
  gameUsername: string | null,
  look: (claimed: ClaimedVerification) => Promise<GameIdentity>,
): Promise<Completion> {
  const claimed = await claimProof(entry.stored, gameUsername, clock.now());
  if (claimed === null) return refuseAsItIsNow(entry);
  try {
    const proven = await look(claimed);
    if (claimed.guildId !== null) await requireStillActive(claimed.guildId);
    const account = await link(claimed, proven, entry.actor);
    const completed = await complete(claimed, account, entry.actor);
    if (completed === null) return await refuseAsItIsNow(entry);
    await countFact(claimed.guildId, 'verified');
    const session = await openSession(completed, entry.token);
    return { session, account, sync: await syncLinked(entry, claimed.chatUserId) };
  } catch (error) {
    const reason = rejectionReason(error);
    if (reason !== null) return fail(entry, claimed, reason);
    await giveBack(claimed);
    throw error;
  }
}

function link(claimed: ClaimedVerification, proven: GameIdentity, actor: Actor): Promise<Account> {
  const { chatUserId, chatUsername, guildId, method } = claimed;
  const { gameUserId, gameUsername, gameDisplayName } = proven;
  const game = { gameUserId, gameUsername, gameDisplayName };
  return linkAccount({ chatUserId, chatUsername, guildId, game, method }, actor);
}

async function complete(
  claimed: ClaimedVerification,
  { gameUserId, gameUsername, gameDisplayName }: Account,
  actor: Actor,
): Promise<StoredVerification | null> {
  const entry = newEntry({
    guildId: claimed.guildId,
    actor,
    action: 'verification.completed',
    target: targetOf(claimed),
    changes: { gameUserId: { from: null, to: gameUserId }, method: { from: null, to: claimed.method } },
  });
  const { chatUserId } = claimed;
  const game = { gameUserId, gameUsername, gameDisplayName };
  const completed = await updateProof(claimed, {
    $set: { state: 'completed', reason: null, proof: null, game },
    ...push(...eventsFor(claimed, 'verification.completed', { chatUserId, gameUserId, gameUsername }), entry),
  });
  if (completed !== null) await enterLog(entry);
  return completed;
}

/** The link stands even if the sync fails; the sync is owed in the database. */
async function syncLinked({ guild, actor }: ProofEntry, chatUserId: string): Promise<SyncResult | null> {
  if (guild === null) return null;
  try {
    return await syncMember(guild, chatUserId, { trigger: 'verification', actor });
  } catch (error) {
    const expected = error instanceof AppError;
    logger[expected ? 'info' : 'error'](
      { err: error, guildId: guild._id, chatUserId },
      'sync after verification failed',
    );
    return null;
  }
}

/** A proof that Roblox left unanswered is not counted: it showed nothing, and the person could not help it. */
async function fail(entry: ProofEntry, claimed: ClaimedVerification, reason: RejectionReason): Promise<never> {
  const { chatUserId, method, attempts: attempt } = claimed;
  const logged = newEntry({
    guildId: claimed.guildId,
    actor: entry.actor,
    action: 'verification.failed',
    target: targetOf(claimed),
    changes: {
      reason: { from: null, to: reason },
      method: { from: null, to: method },
      attempt: { from: attempt - 1, to: attempt },
    },
  });
  const failed = await updateProof(claimed, {
    $set: { state: 'failed', reason, proof: null, game: null },
    ...(reason === 'game_platform_unavailable' && { $inc: { attempts: -1 } }),
    ...push(...eventsFor(claimed, 'verification.failed', { chatUserId, reason, method, attempt }), logged),
  });
  if (failed === null) return refuseAsItIsNow(entry);
  await enterLog(logged);
  await countFact(claimed.guildId, 'verificationFailed');
  throw await verificationFailed(reason, failed, entry.token);
}

/**
 * The event for the session's guild. A session without a guild sends events to the guilds that it links the person in.
 */
function eventsFor<Name extends EventName>({ guildId }: ClaimedVerification, event: Name, data: EventData<Name>) {
  return guildId === null ? [] : [newEvent(event, guildId, data)];
}

/** After an error that is not about the proof, the person may repeat the same proof at once. */
async function giveBack(claimed: ClaimedVerification): Promise<void> {
  await updateProof(claimed, { $set: { proof: null }, $inc: { attempts: -1 } }).catch((error: unknown) =>
    logger.error({ err: error }, 'proof not given back; it ends by itself'),
  );
}

async function refuseAsItIsNow({ stored, token }: ProofEntry): Promise<never> {
  const now = (await findVerification({ _id: stored._id })) ?? stored;
  await refuseUnlessPending(now, token);
  throw proofGoingOn();
}

const targetOf = ({ chatUserId, chatUsername }: StoredVerification) => ({
  kind: 'member',
  id: chatUserId,
  name: chatUsername,
});
