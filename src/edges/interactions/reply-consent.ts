import { ButtonStyle } from 'discord.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { GuildConsent } from '../../features/accounts/consents.js';
import type { GameIdentity } from '../../features/members/member-model.js';
import { t } from '../../lib/translate.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';
import type { MessageButton } from '../../platforms/discord/direct-messages.js';
import { pressable } from './command-mention.js';
import { componentId } from './component-id.js';
import { note, pressButton, type Reply } from './reply.js';
import { gameAccount } from './reply-account.js';

/** The button names the account that was shown, where one was. */
const give = ({ _id }: Guild, ...account: string[]) =>
  pressButton(componentId('consent-give', _id, ...account), t('consent.show'));
const refuse = ({ _id }: Guild) =>
  pressButton(componentId('consent-refuse', _id), t('consent.hide'), ButtonStyle.Secondary);

/** Somebody whose account is known from elsewhere wants to verify: whether the guild may see it. */
export function consentQuestion(guild: Guild, account: GameIdentity): Reply {
  return note('neutral', question(guild, account), [
    give(guild, account.gameUserId),
    refuse(guild),
    pressButton(componentId('verify', 'another'), t('verify.link_another'), ButtonStyle.Secondary),
  ]);
}

/** The same once more, in a server or under a direct message: the account is another one than was shown. */
export const consentAgain = (guild: Guild, account: GameIdentity): Reply =>
  note('neutral', question(guild, account), [give(guild, account.gameUserId), refuse(guild)]);

/** The same as a direct message, with its buttons. */
export function directQuestion(guild: Guild, account: GameIdentity): { words: string; buttons: MessageButton[] } {
  const buttons = [
    { customId: componentId('consent-give', guild._id, account.gameUserId), label: t('consent.show') },
    { customId: componentId('consent-refuse', guild._id), label: t('consent.hide'), isDanger: true },
  ];
  return { words: question(guild, account), buttons };
}

const question = ({ name }: Guild, account: GameIdentity): string =>
  t('consent.question', { server: verbatim(name), account: gameAccount(account) });

/** Whether a guild sees a person's account, and how to change that. */
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
