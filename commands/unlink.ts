import { ButtonStyle } from 'discord.js';
import { guildCommand } from '../src/edges/interactions/command-in-guild.js';
import { componentId } from '../src/edges/interactions/component-id.js';
import { note, pressButton } from '../src/edges/interactions/reply.js';
import { gameAccount } from '../src/edges/interactions/reply-account.js';
import { findAccount } from '../src/features/members/account-service.js';
import { t } from '../src/lib/translate.js';

export const UnlinkCommand = guildCommand('unlink', {
  as: 'member',
  run: async ({ actor }) => {
    const account = await findAccount(actor.id);
    if (account === null) return note('neutral', t('unlink.not_linked'));
    return note('attention', t('unlink.confirm', { account: gameAccount(account) }), [
      pressButton(componentId('unlink'), t('unlink.yes'), ButtonStyle.Danger),
    ]);
  },
});
