import type { Command } from '@sapphire/framework';
import { ButtonStyle } from 'discord.js';
import { enterAsMember } from '../src/edges/interactions/command-access.js';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { componentId } from '../src/edges/interactions/component-id.js';
import { button, say } from '../src/edges/interactions/reply.js';
import { gameAccount } from '../src/edges/interactions/reply-account.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { findAccount } from '../src/features/members/account-service.js';
import { t } from '../src/lib/translate.js';

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
