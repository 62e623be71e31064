import type { ButtonInteraction, ChatInputCommandInteraction } from 'discord.js';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { findMember } from '../../features/members/member-service.js';
import { availableMethods, type KnownGuild, rulesOf } from '../../features/verification/verification-rules.js';
import { createVerification, retryVerification } from '../../features/verification/verification-service.js';
import { Forbidden } from '../../lib/errors.js';
import { withLogContext } from '../../lib/logger.js';
import { t } from '../../lib/translate.js';
import { enterAsMember } from './command-access.js';
import { inGuildLanguage } from './guild-language.js';
import type { Reply } from './reply.js';
import { acknowledgeIfSlow, send } from './reply-answer.js';
import { alreadyLinked, failedReply, formOffer, phraseOffer, signInOffer, usernameForm } from './reply-verification.js';

/**
 * Begins a verification over Discord, by /verify or the Verify button: a choice of methods or, where words in the
 * profile are the only one, the form for the username at once. `another`: whoever is linked wants to link anew.
 */
export async function offerVerification(
  interaction: ChatInputCommandInteraction | ButtonInteraction,
  { another }: { another: boolean },
): Promise<void> {
  await withLogContext({ interactionId: interaction.id }, async () => {
    const made = inGuildLanguage(interaction, async (settings) => {
      const offer = await makeOffer(interaction, another, settings);
      return offer === null ? { offer: formOffer(), form: usernameForm() } : { offer };
    });
    const { offer, form } = await acknowledgeIfSlow(interaction, made);
    if (form === undefined || interaction.deferred) await send(interaction, offer);
    else await interaction.showModal(form);
  });
}

/** What to offer in a message; null for the form. */
async function makeOffer(
  interaction: ChatInputCommandInteraction | ButtonInteraction,
  another: boolean,
  settings: GuildSettings | null,
): Promise<Reply | null> {
  const { guild, actor } = await enterAsMember(interaction);
  const member = another ? null : await findMember(guild._id, actor.id);
  if (member?.state === 'linked') return alreadyLinked(member);
  const known = knownGuild(guild, settings);
  const methods = availableMethods(await rulesOf(guild._id, known));
  if (methods.length === 0) throw new Forbidden('verification_disabled', t('verify.unavailable'));
  if (!methods.includes('oauth')) return null;
  const wish = { guildId: guild._id, chatUserId: actor.id, method: 'oauth' } as const;
  const { token } = await createVerification(wish, actor, known);
  return signInOffer(token, methods.includes('profile_code'));
}

/** What a press has read of its guild, to be handed on; undefined while its settings could not be read. */
export const knownGuild = (guild: Guild, settings: GuildSettings | null): KnownGuild | undefined =>
  settings === null ? undefined : { guild, settings };

/** New words for the same or another Roblox profile, in a session that goes on. Throws as `retryVerification` does. */
export async function offerNewPhrase(token: string, gameUsername: string, actor: Actor): Promise<Reply> {
  try {
    const { session } = await retryVerification(token, 'profile_code', actor);
    return phraseOffer(session, token, gameUsername);
  } catch (error) {
    return failedReply(error, token, gameUsername);
  }
}
