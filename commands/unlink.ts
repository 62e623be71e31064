import { guildCommand } from '../src/edges/interactions/commands/command-in-guild.js';
import { note } from '../src/edges/interactions/replies/reply.js';
import { unlinkQuestion } from '../src/edges/interactions/replies/reply-unlink.js';
import { allAccounts } from '../src/features/accounts/account-service.js';
import { t } from '../src/lib/translate.js';

export const UnlinkCommand = guildCommand('unlink', {
  as: 'member',
  run: async ({ actor }) => {
    const accounts = await allAccounts(actor.id);
    return accounts.length === 0 ? note('neutral', t('unlink.not_linked')) : unlinkQuestion(accounts);
  },
});
