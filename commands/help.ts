import type { Command } from '@sapphire/framework';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { helpReply } from '../src/edges/interactions/reply-help.js';
import { answer } from '../src/edges/interactions/serve-interaction.js';

/** Also answers in suspended or unknown servers. */
export class HelpCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, 'help');
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, async () => {
      const registered = this.container.client.application?.commands.cache.values() ?? [];
      return helpReply([...registered], interaction.memberPermissions);
    });
  }
}
