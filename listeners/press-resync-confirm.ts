import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { answerWithProgress } from '../src/edges/interactions/command-resync.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { confirmResync } from '../src/features/sync/resync/resync-service.js';

/** "Confirm", under a resync that would take roles from so many that it waits for an admin. */
export class PressResyncConfirm extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'resync-confirm');
  }

  protected override serve(interaction: ButtonInteraction, [jobId = '']: string[]) {
    return answerWithProgress(interaction, async () => {
      const { guild, actor } = await enterAsTeam(interaction, 'admin');
      return { job: await confirmResync(guild, actor, jobId), role: actor.role };
    });
  }
}
