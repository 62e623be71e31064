import { button } from '../src/edges/interactions/press.js';
import { note } from '../src/edges/interactions/reply.js';
import { unlinkQuestion } from '../src/edges/interactions/reply-unlink.js';
import { findOwnAccount, unlinkAccount } from '../src/features/accounts/account-service.js';
import { t } from '../src/lib/translate.js';

/** "Unlink", under /unlink's question about one account. If the account differs, the question is asked again. */
export const PressUnlink = button('unlink', { as: 'member' }, async ({ actor, state: [shown = ''] }) => {
  const account = await findOwnAccount(actor.id);
  if (account !== null && account.gameUserId !== shown) return unlinkQuestion(account);
  await unlinkAccount(actor.id, actor, 'self', shown);
  return note('fine', t('unlink.done'));
});
