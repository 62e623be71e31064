import type { Entrance } from '../src/edges/interactions/commands/command-access.js';
import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { describeMember } from '../src/edges/interactions/replies/reply-account.js';
import { ownAccountsReply } from '../src/edges/interactions/replies/reply-own-accounts.js';
import { ownAccounts } from '../src/features/accounts/own-accounts.js';
import { findMember } from '../src/features/members/member-service.js';
import { t } from '../src/lib/translate.js';

async function show({ guild, actor }: Entrance, chatUserId: string) {
  const isOwn = chatUserId === actor.id;
  const accounts = isOwn ? await ownAccounts(chatUserId) : [];
  if (accounts.length > 1) return ownAccountsReply(accounts);
  return note('neutral', describeMember(chatUserId, await findMember(guild._id, chatUserId), isOwn));
}

/** /account, also in a person's context menu. */
export const AccountCommand = guildCommand('account', {
  as: 'member',
  options: (command) =>
    command.addUserOption((option) => option.setName('member').setDescription(t('option.account_member'))),
  run: (use) => show(use, use.options.getUser('member')?.id ?? use.actor.id),
  menu: { name: 'command.account_menu', run: show },
});
