import type { Actor } from '../../../core/actors/actor.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../../core/settings/guild-settings.js';
import { findAccountIn } from '../../../features/accounts/account-service.js';
import { linkAtOnce } from '../../../features/accounts/missing-links.js';
import { waitsForConsent } from '../../../features/members/consent-rules.js';
import { announceSync } from '../../../features/members/pending-syncs.js';
import { type KnownGuild, waysOf } from '../../../features/verification/verification-rules.js';
import { createVerification, retryVerification } from '../../../features/verification/verification-service.js';
import { Forbidden } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import type { Reply } from '../replies/reply.js';
import type { Answer } from '../replies/reply-answer.js';
import { consentQuestion } from '../replies/reply-consent.js';
import {
  alreadyLinked,
  askUsername,
  failedReply,
  gameCodeOffer,
  phraseOffer,
  wayOffer,
} from '../replies/reply-verification.js';
import type { Visit } from '../serve-interaction.js';

/**
 * Begins a verification by /verify or the Verify button. It offers the methods or, if profile words are the only one,
 * the username form. If the person's account is known but hidden from this guild, the consent question comes first.
 * `another`: a linked person wants to link another account. Throws Forbidden `verification_disabled`, and as `createVerification` does.
 */
export async function offerVerification({ guild, actor, settings }: Visit, another: boolean): Promise<Answer> {
  const member = another ? null : await linkAtOnce(guild._id, actor.id);
  if (member?.owedSync?.trigger === 'link') announceSync(member, 'link');
  if (member?.state === 'linked') return alreadyLinked(member);
  if (member !== null && settings !== null && waitsForConsent(member, settings)) {
    const account = await findAccountIn(member);
    if (account !== null) return consentQuestion(guild, account);
  }
  const known = knownGuild(guild, settings);
  const methods = await waysOf(guild._id, known);
  if (methods.length === 0) throw new Forbidden('verification_disabled', t('verify.unavailable'));
  if (methods.every((way) => way === 'profile_code')) return askUsername();
  const method = methods[0] ?? 'profile_code';
  const { token } = await createVerification({ guildId: guild._id, chatUserId: actor.id, method }, actor, known);
  return wayOffer(token, methods);
}

/** Offers a code to type in a Roblox game the guild has; the session continues. Throws as `retryVerification` does. */
export async function offerGameCode(token: string, actor: Actor): Promise<Reply> {
  const { session } = await retryVerification(token, 'game_code', actor);
  return gameCodeOffer(session, token);
}

/** The guild data that a press has already read; undefined if its settings could not be read. */
export const knownGuild = (guild: Guild, settings: GuildSettings | null): KnownGuild | undefined =>
  settings === null ? undefined : { guild, settings };

/**
 * Offers new words for the same or another Roblox profile; the session continues. Throws as `retryVerification` does.
 */
export async function offerNewPhrase(token: string, gameUsername: string, actor: Actor): Promise<Reply> {
  try {
    const { session } = await retryVerification(token, 'profile_code', actor);
    return phraseOffer(session, token, gameUsername);
  } catch (error) {
    return failedReply(error, token, gameUsername);
  }
}
