import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsTeam } from '../src/interactions/command-access.js';
import { ButtonListener } from '../src/interactions/component-listener.js';
import { answer } from '../src/interactions/reply-answer.js';
import { logsPage } from '../src/interactions/reply-logs.js';

/** The next page of /logs, with the same filters. */
export class PressLogsPage extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'logs');
  }

  protected override serve(interaction: ButtonInteraction, [action = '', memberId = '', cursor]: string[]) {
    return answer(interaction, async () => {
      const { guild } = await enterAsTeam(interaction, 'viewer');
      return logsPage(guild, { action: action || null, memberId: memberId || null }, cursor);
    });
  }
}
