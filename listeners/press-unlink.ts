import { button } from '../src/edges/interactions/press.js';
import { unlinkedReply, unlinkKey, unlinkQuestion } from '../src/edges/interactions/replies/reply-unlink.js';
import { allAccounts, unlinkAccount } from '../src/features/accounts/account-service.js';

/** "Unlink", under /unlink's question about the person's accounts. If they differ, the question is asked again. */
export const PressUnlink = button('unlink', { as: 'member' }, async ({ actor, state: [shown] }) => {
  const accounts = await allAccounts(actor.id);
  if (accounts.length > 0 && shown !== unlinkKey(accounts)) return unlinkQuestion(accounts);
  const ids = accounts.map(({ gameUserId }) => gameUserId);
  await unlinkAccount(actor.id, actor, 'self', ids);
  return unlinkedReply(accounts);
});
