import { type APIButtonComponent, ButtonStyle, userMention } from 'discord.js';
import type { UndoResult } from '../../features/accounts/unlink-undo.js';
import type { GameIdentity, Member } from '../../features/members/member-model.js';
import { undoUntil } from '../../features/members/member-unlinks.js';
import { t } from '../../lib/translate.js';
import { componentId } from './component-id.js';
import { note, pressButton, type Reply } from './reply.js';
import { gameAccount } from './reply-account.js';

/** Asks whether to unlink an account everywhere; the button carries the account's id. */
export const unlinkQuestion = (account: GameIdentity): Reply =>
  note('attention', t('unlink.confirm', { account: gameAccount(account) }), [
    pressButton(componentId('unlink', account.gameUserId), t('unlink.yes'), ButtonStyle.Danger),
  ]);

/** *Undo unlink*, under /why about a member that an admin has unlinked within a day. */
export const undoUnlinkButton = (member: Member | null, chatUserId: string): APIButtonComponent[] =>
  member === null || undoUntil(member) === null
    ? []
    : [pressButton(componentId('unlink-undo', chatUserId), t('unlink.undo'), ButtonStyle.Secondary)];

export const undoneReply = (chatUserId: string, result: UndoResult): Reply =>
  note(result === 'linked' ? 'fine' : 'attention', t(`unlink.undo_${result}`, { person: userMention(chatUserId) }));
