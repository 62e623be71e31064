import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { answer } from '../src/edges/interactions/reply-answer.js';
import { logsPage } from '../src/edges/interactions/reply-logs.js';

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
