import { type APIButtonComponent, ButtonStyle, userMention } from 'discord.js';
import type { UndoResult } from '../../../features/accounts/unlink-undo.js';
import type { GameIdentity, Member } from '../../../features/members/member-model.js';
import { undoUntil } from '../../../features/members/member-unlinks.js';
import { hashSecret } from '../../../lib/ids.js';
import { currentLocale, t } from '../../../lib/translate.js';
import { componentId } from '../component-id.js';
import { note, pressButton, type Reply } from './reply.js';
import { gameAccount } from './reply-account.js';

/** More names would hide the words around them. */
const mostNames = 10;

/** Asks whether to unlink these accounts everywhere. The button tells by a key whether they are still the same. */
export const unlinkQuestion = (accounts: readonly GameIdentity[]): Reply => {
  const games = gamesOf(accounts);
  const names = games.slice(0, mostNames).map(gameAccount);
  const left = games.length - names.length;
  const account = new Intl.ListFormat(currentLocale()).format(left === 0 ? names : [...names, `+${left}`]);
  return note('attention', t('unlink.confirm', { account, count: games.length }), [
    pressButton(componentId('unlink', unlinkKey(accounts)), t('unlink.yes'), ButtonStyle.Danger),
  ]);
};

/** The answer about accounts that were unlinked. */
export const unlinkedReply = (accounts: readonly GameIdentity[]): Reply =>
  note('fine', t('unlink.done', { count: gamesOf(accounts).length }));

/** A key for an account set, for a button: their ids would be too long for Discord. */
export const unlinkKey = (accounts: readonly GameIdentity[]): string =>
  hashSecret(
    accounts
      .map(({ gameUserId }) => gameUserId)
      .sort()
      .join(),
  );

/** Each Roblox account once: a person's proof and several guilds' words may give the same one. */
const gamesOf = (accounts: readonly GameIdentity[]): GameIdentity[] => [
  ...new Map(accounts.map((account) => [account.gameUserId, account])).values(),
];

/** *Undo unlink*, under /why about a member that an admin has unlinked within a day. */
export const undoUnlinkButton = (member: Member | null, chatUserId: string): APIButtonComponent[] =>
  member === null || undoUntil(member) === null
    ? []
    : [pressButton(componentId('unlink-undo', chatUserId), t('unlink.undo'), ButtonStyle.Secondary)];

export const undoneReply = (chatUserId: string, result: UndoResult): Reply =>
  note(result === 'linked' ? 'fine' : 'attention', t(`unlink.undo_${result}`, { person: userMention(chatUserId) }));
