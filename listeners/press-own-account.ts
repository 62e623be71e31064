import { button } from '../src/edges/interactions/press.js';
import { ownAccountReply, ownAccountsReply } from '../src/edges/interactions/replies/reply-own-accounts.js';
import { ownAccounts } from '../src/features/accounts/own-accounts.js';

/** An account the person has, under /account, with its possible acts. The list again if it is theirs no more. */
export const PressOwnAccount = button(
  'own-account',
  { as: 'member' },
  async ({ guild, actor, state: [gameUserId = ''] }) => {
    const accounts = await ownAccounts(actor.id);
    const own = accounts.find(({ account }) => account.gameUserId === gameUserId);
    return own === undefined ? ownAccountsReply(accounts) : ownAccountReply(own, guild);
  },
);
