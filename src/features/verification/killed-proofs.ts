import type { Actor } from '../../core/actors/actor.js';
import { clock } from '../../lib/clock.js';
import { PatientWork } from '../../lib/patient-work.js';
import { findAccountProvenBy } from '../accounts/account-service.js';
import { settleAccount } from '../accounts/account-settling.js';
import { completeSession } from './proof-completion.js';
import { type ClaimedVerification, killedProofs, updateProof } from './verification-store.js';

const ending = new PatientWork('killed_proofs');

/**
 * Ends proofs that a crash interrupted. One that had linked the account completes its session, so that the guild gets
 * its event (VER-7); any other can be made again. A proof that fails is left for the next run.
 */
export async function endKilledProofs(signal: AbortSignal): Promise<void> {
  for await (const killed of killedProofs(clock.now())) {
    if (signal.aborted) return;
    await ending.on(killed._id, () => endProof(killed));
  }
}

async function endProof(killed: ClaimedVerification): Promise<void> {
  const { _id, guildId, chatUserId, chatUsername, proof } = killed;
  const account = await findAccountProvenBy(chatUserId, _id);
  if (account === null) {
    await updateProof(killed, { $set: { proof: null } });
    return;
  }
  const actor: Actor = { ...proof.by, role: null, platformAdmin: false };
  if (guildId !== null) await settleAccount(chatUserId, { guildId, chatUsername, game: account, actor });
  await completeSession(killed, account, actor);
}
