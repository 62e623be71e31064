import type { Command } from '@sapphire/framework';
import { ButtonStyle } from 'discord.js';
import { enterAsMember } from '../src/interactions/command-access.js';
import { GuildCommand } from '../src/interactions/command-in-guild.js';
import { componentId } from '../src/interactions/component-id.js';
import { button, say } from '../src/interactions/reply.js';
import { gameAccount } from '../src/interactions/reply-account.js';
import { answer } from '../src/interactions/reply-answer.js';
import { t } from '../src/locales/translate.js';
import { findAccount } from '../src/members/account-service.js';

export class UnlinkCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.unlink') });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, async () => {
      const { actor } = await enterAsMember(interaction);
      const account = await findAccount(actor.id);
      if (account === null) return say(t('unlink.not_linked'));
      return say(t('unlink.confirm', { account: gameAccount(account) }), [
        button(componentId('unlink'), t('unlink.yes'), ButtonStyle.Danger),
      ]);
    });
  }
}
