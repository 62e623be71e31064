import type { Command } from '@sapphire/framework';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { GuildCommand } from '../src/edges/interactions/command-in-guild.js';
import { say } from '../src/edges/interactions/reply.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { postPanel } from '../src/edges/interactions/reply-panel.js';
import { t } from '../src/lib/translate.js';

export class PanelCommand extends GuildCommand {
  constructor(context: Command.LoaderContext) {
    super(context, { description: t('command.panel'), forManagers: true });
  }

  override chatInputRun(interaction: Command.ChatInputCommandInteraction) {
    return answer(interaction, async () => {
      await postPanel(await enterAsTeam(interaction, 'manager'), interaction.channelId);
      return say(t('panel.posted'));
    });
  }
}
