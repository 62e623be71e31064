import { ButtonStyle } from 'discord.js';
import { guildCommand } from '../src/edges/interactions/command-in-guild.js';
import { componentId } from '../src/edges/interactions/component-id.js';
import { pressButton, say } from '../src/edges/interactions/reply.js';
import { gameAccount } from '../src/edges/interactions/reply-account.js';
import { findAccount } from '../src/features/members/account-service.js';
import { t } from '../src/lib/translate.js';

export const UnlinkCommand = guildCommand('unlink', {
  as: 'member',
  run: async ({ actor }) => {
    const account = await findAccount(actor.id);
    if (account === null) return say(t('unlink.not_linked'));
    return say(t('unlink.confirm', { account: gameAccount(account) }), [
      pressButton(componentId('unlink'), t('unlink.yes'), ButtonStyle.Danger),
    ]);
  },
});
