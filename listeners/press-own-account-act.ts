import { button } from '../src/edges/interactions/press.js';
import { ownAccountsReply } from '../src/edges/interactions/replies/reply-own-accounts.js';
import { unlinkAccount } from '../src/features/accounts/account-service.js';
import { ownAccounts, useAccount } from '../src/features/accounts/own-accounts.js';
import { t } from '../src/lib/translate.js';

/** *Use it here*, *Make it my main account* and *Remove it*, under an account the person has. */
export const PressOwnAccountAct = button(
  'own-account-act',
  { as: 'member' },
  async ({ guild, actor, state: [gameUserId = '', act] }) => {
    if (act === 'remove') await unlinkAccount(actor.id, actor, 'self', [gameUserId]);
    if (act === 'main') await useAccount(actor, gameUserId, { main: true });
    if (act === 'here') await useAccount(actor, gameUserId, { guildIds: [guild._id] });
    return ownAccountsReply(await ownAccounts(actor.id), t('accounts.saved'));
  },
);
