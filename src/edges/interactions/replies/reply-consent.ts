import { ButtonStyle } from 'discord.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import type { GuildConsent } from '../../../features/accounts/consents.js';
import type { GameIdentity } from '../../../features/members/member-model.js';
import { t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import type { MessageButton } from '../../../platforms/discord/direct-messages.js';
import { pressable } from '../commands/command-mention.js';
import { componentId } from '../component-id.js';
import { note, pressButton, type Reply } from './reply.js';
import { gameAccount } from './reply-account.js';

/** The button carries the account that was shown, if any. */
const give = ({ _id }: Guild, ...account: string[]) =>
  pressButton(componentId('consent-give', _id, ...account), t('consent.show'));
const refuse = ({ _id }: Guild) =>
  pressButton(componentId('consent-refuse', _id), t('consent.hide'), ButtonStyle.Secondary);

/** Asks a person with an account known from elsewhere whether this guild may see it. */
export function consentQuestion(guild: Guild, account: GameIdentity): Reply {
  return note('neutral', question(guild, account), [
    give(guild, account.gameUserId),
    refuse(guild),
    pressButton(componentId('verify', 'another'), t('verify.link_another'), ButtonStyle.Secondary),
  ]);
}

/** Asks again, in a server or direct message, because the account differs from the one shown. */
export const consentAgain = (guild: Guild, account: GameIdentity): Reply =>
  note('neutral', question(guild, account), [give(guild, account.gameUserId), refuse(guild)]);

/** The same question as a direct message, with its buttons. */
export function directQuestion(guild: Guild, account: GameIdentity): { words: string; buttons: MessageButton[] } {
  const buttons = [
    { customId: componentId('consent-give', guild._id, account.gameUserId), label: t('consent.show') },
    { customId: componentId('consent-refuse', guild._id), label: t('consent.hide'), isDanger: true },
  ];
  return { words: question(guild, account), buttons };
}

const question = ({ name }: Guild, account: GameIdentity): string =>
  t('consent.question', { server: verbatim(name), account: gameAccount(account) });

/** Whether a guild sees a person's account, with the button to change that. */
export function consentReply({ guild, member, state }: GuildConsent): Reply {
  const server = verbatim(guild.name);
  const { gameUserId = '', gameUsername = '' } = member;
  if (state === 'shown') {
    const account = gameAccount({ gameUserId, gameUsername });
    return note('fine', t('consent.shown', { server, account }), [refuse(guild)]);
  }
  if (state === 'agreed') return note('attention', pressable('consent.agreed', { server }), [refuse(guild)]);
  if (state === 'hidden') return note('neutral', t('consent.hidden', { server }), [give(guild)]);
  return note('neutral', t('consent.unanswered', { server }), [give(guild), refuse(guild)]);
}
