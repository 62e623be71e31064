import type { Command } from '@sapphire/framework';
import { enterAsTeam } from '../src/interactions/command-access.js';
import { GuildCommand } from '../src/interactions/command-in-guild.js';
import { say } from '../src/interactions/reply.js';
import { answer } from '../src/interactions/reply-answer.js';
import { postPanel } from '../src/interactions/reply-panel.js';
import { t } from '../src/locales/translate.js';

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
