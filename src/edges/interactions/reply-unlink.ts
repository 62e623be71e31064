import { ButtonStyle } from 'discord.js';
import type { GameIdentity } from '../../features/members/member-model.js';
import { t } from '../../lib/translate.js';
import { componentId } from './component-id.js';
import { note, pressButton, type Reply } from './reply.js';
import { gameAccount } from './reply-account.js';

/** Asks whether to unlink an account everywhere; the button carries the account's id. */
export const unlinkQuestion = (account: GameIdentity): Reply =>
  note('attention', t('unlink.confirm', { account: gameAccount(account) }), [
    pressButton(componentId('unlink', account.gameUserId), t('unlink.yes'), ButtonStyle.Danger),
  ]);
