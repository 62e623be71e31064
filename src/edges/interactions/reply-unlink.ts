import { type APIButtonComponent, ButtonStyle, userMention } from 'discord.js';
import type { UndoResult } from '../../features/accounts/unlink-undo.js';
import type { GameIdentity, Member } from '../../features/members/member-model.js';
import { undoUntil } from '../../features/members/member-unlinks.js';
import { currentLocale, t } from '../../lib/translate.js';
import { componentId } from './component-id.js';
import { note, pressButton, type Reply } from './reply.js';
import { gameAccount } from './reply-account.js';

/** Asks whether to unlink these accounts everywhere; the button carries their ids. */
export const unlinkQuestion = (accounts: readonly GameIdentity[]): Reply => {
  const account = new Intl.ListFormat(currentLocale()).format(accounts.map(gameAccount));
  const ids = accounts.map(({ gameUserId }) => gameUserId);
  return note('attention', t('unlink.confirm', { account }), [
    pressButton(componentId('unlink', ...ids), t('unlink.yes'), ButtonStyle.Danger),
  ]);
};

/** *Undo unlink*, under /why about a member that an admin has unlinked within a day. */
export const undoUnlinkButton = (member: Member | null, chatUserId: string): APIButtonComponent[] =>
  member === null || undoUntil(member) === null
    ? []
    : [pressButton(componentId('unlink-undo', chatUserId), t('unlink.undo'), ButtonStyle.Secondary)];

export const undoneReply = (chatUserId: string, result: UndoResult): Reply =>
  note(result === 'linked' ? 'fine' : 'attention', t(`unlink.undo_${result}`, { person: userMention(chatUserId) }));
