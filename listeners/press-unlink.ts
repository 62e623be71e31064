import { button } from '../src/edges/interactions/press.js';
import { note } from '../src/edges/interactions/reply.js';
import { unlinkAccount } from '../src/features/members/account-service.js';
import { t } from '../src/lib/translate.js';

/** "Unlink", under the question that /unlink asks. */
export const PressUnlink = button('unlink', { as: 'member' }, async ({ actor }) => {
  await unlinkAccount(actor.id, actor);
  return note('fine', t('unlink.done'));
});
