import { button } from '../src/edges/interactions/press.js';
import { note } from '../src/edges/interactions/reply.js';
import { unlinkQuestion } from '../src/edges/interactions/reply-unlink.js';
import { findOwnAccounts, unlinkAccount } from '../src/features/accounts/account-service.js';
import { t } from '../src/lib/translate.js';

/** "Unlink", under /unlink's question about the person's accounts. If they differ, the question is asked again. */
export const PressUnlink = button('unlink', { as: 'member' }, async ({ actor, state: shown }) => {
  const accounts = await findOwnAccounts(actor.id);
  const isShown = accounts.length === shown.length && accounts.every(({ gameUserId }) => shown.includes(gameUserId));
  if (accounts.length > 0 && !isShown) return unlinkQuestion(accounts);
  await unlinkAccount(actor.id, actor, 'self', shown);
  return note('fine', t('unlink.done'));
});
