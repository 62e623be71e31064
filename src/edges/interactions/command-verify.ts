import type { Actor } from '../../core/actors/actor.js';
import { findMember } from '../../features/members/member-service.js';
import { availableMethods } from '../../features/verification/verification-rules.js';
import { createVerification, retryVerification } from '../../features/verification/verification-service.js';
import { Forbidden } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import type { Entrance } from './command-access.js';
import type { Reply } from './reply.js';
import type { Answer } from './reply-answer.js';
import { alreadyLinked, askUsername, failedReply, phraseOffer, signInOffer } from './reply-verification.js';

/**
 * Begins a verification over Discord, by /verify or the Verify button: a choice of methods or, where words in the
 * profile are the only one, the form for the username. `another`: whoever is linked wants to link another account.
 * Throws Forbidden `verification_disabled`, and as `createVerification` does.
 */
export async function offerVerification({ guild, actor }: Entrance, another: boolean): Promise<Answer> {
  const member = another ? null : await findMember(guild._id, actor.id);
  if (member?.state === 'linked') return alreadyLinked(member);
  const methods = await availableMethods(guild._id);
  if (methods.length === 0) throw new Forbidden('verification_disabled', t('verify.unavailable'));
  if (!methods.includes('oauth')) return askUsername();
  const wish = { guildId: guild._id, chatUserId: actor.id, method: 'oauth' } as const;
  const { token } = await createVerification(wish, actor);
  return signInOffer(token, methods.includes('profile_code'));
}

/** New words for the same or another Roblox profile, in a session that goes on. Throws as `retryVerification` does. */
export async function offerNewPhrase(token: string, gameUsername: string, actor: Actor): Promise<Reply> {
  try {
    const { session } = await retryVerification(token, 'profile_code', actor);
    return phraseOffer(session, token, gameUsername);
  } catch (error) {
    return failedReply(error, token, gameUsername);
  }
}
