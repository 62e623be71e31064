import type { Command } from '@sapphire/framework';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { say } from '../src/edges/interactions/reply.js';
import { helpLines } from '../src/edges/interactions/reply-help.js';
import { answer } from '../src/edges/interactions/serve-interaction.js';
import { t } from '../src/lib/translate.js';

/** Answers in servers that are suspended or not known, too. */
export class HelpCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, 'help');
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, async () => {
      const registered = this.container.client.application?.commands.cache.values() ?? [];
      return say([t('help.title'), ...helpLines([...registered], interaction.memberPermissions)].join('\n'));
    });
  }
}
