import type { Actor } from '../../core/actors/actor.js';
import { proofMethod } from '../../core/settings/guild-settings.js';
import { clock } from '../../lib/clock.js';
import { NotFound } from '../../lib/errors.js';
import { accountUse } from '../accounts/account-use.js';
import { noteClaimAnswered } from './claim-questions.js';
import { failSession } from './proof-completion.js';
import { acceptAge } from './proof-rejected.js';
import { type Completion, finishProof } from './proof-run.js';
import { enterSession } from './verification-access.js';
import { rulesOf } from './verification-rules.js';
import { type ClaimedVerification, claimHeld } from './verification-store.js';

/** The claim that a question shows: the Roblox account, and its method, which decides where it counts. */
export interface ShownClaim {
  gameUserId: string;
  method: string;
}

/**
 * The person confirms: the account that a guild's token proved becomes theirs. Throws NotFound `session_not_found`,
 * NotFound `nothing_to_answer` (also if the waiting claim is not the one shown), VerificationFailed, and the refusals
 * of `enterSession`.
 */
export async function confirmClaim(token: string, person: Actor, shown: ShownClaim): Promise<Completion> {
  const { claimed, ...entry } = await enterClaim(token, person, shown);
  return finishProof(entry, claimed, async () => {
    if (claimed.game === null) throw nothingToAnswer();
    if (!claimed.choosing) await noteClaimAnswered(claimed, false);
    acceptAge(claimed.game, (await rulesOf(claimed.guildId)).minimumAccountAgeDays);
    return claimed.game;
  });
}

/**
 * The person chooses how an account that they have proved is used (VER-35). Throws NotFound `nothing_to_answer` if the
 * session waits for no choice about this account, Conflict `accounts_full`, and as `confirmClaim` does.
 */
export async function chooseUse(
  token: string,
  person: Actor,
  chosen: { gameUserId: string; use: string },
): Promise<Completion> {
  const { gameUserId } = chosen;
  const use = accountUse.safeParse(chosen.use).data;
  const { stored, guild } = await enterSession(token, person);
  const asked = { _id: stored._id, choosing: true as const, 'game.gameUserId': gameUserId };
  const isTheirs = person.kind === 'user' && person.id === stored.chatUserId;
  const isOpen = isTheirs && stored.choosing === true && stored.expiresAt > clock.now();
  if (!isOpen || use === undefined) throw nothingToAnswer();
  const claimed = await claimHeld(asked, person);
  if (claimed === null) throw nothingToAnswer();
  return finishProof({ token, actor: person, stored, guild, use }, claimed, async () => {
    if (claimed.game === null) throw nothingToAnswer();
    return claimed.game;
  });
}

/** "That is not me": ends the session, and writes it down. Throws as `confirmClaim` does. */
export async function rejectClaim(token: string, person: Actor, shown: ShownClaim): Promise<void> {
  const { claimed } = await enterClaim(token, person, shown);
  // First, since the answer counts regardless of the session.
  await noteClaimAnswered(claimed, true);
  if ((await failSession(claimed, 'rejected_by_person', person)) === null) throw nothingToAnswer();
}

/** Reserves the session for its person's answer; a token can't give it. */
async function enterClaim(token: string, person: Actor, { gameUserId, method }: ShownClaim) {
  const { stored, guild } = await enterSession(token, person);
  const isTheirs = person.kind === 'user' && person.id === stored.chatUserId;
  const held = { _id: stored._id, state: 'awaiting_confirmation', 'game.gameUserId': gameUserId } as const;
  const how = proofMethod.safeParse(method);
  const claimed: ClaimedVerification | null =
    isTheirs && how.success && stored.expiresAt > clock.now()
      ? await claimHeld({ ...held, method: how.data }, person)
      : null;
  if (claimed === null) throw nothingToAnswer();
  return { token, actor: person, stored, guild, claimed };
}

const nothingToAnswer = (): NotFound =>
  new NotFound('nothing_to_answer', 'There is nothing left to answer: it was already answered, or it has expired.');
