import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { answerWithProgress } from '../src/edges/interactions/command-resync.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { cancelResync } from '../src/features/sync/resync/resync-service.js';

/** "Cancel", under a resync that is not finished. */
export class PressResyncCancel extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'resync-cancel');
  }

  protected override serve(interaction: ButtonInteraction, [jobId = '']: string[]) {
    return answerWithProgress(interaction, async () => {
      const { guild, actor } = await enterAsTeam(interaction, 'manager');
      return { job: await cancelResync(guild, actor, jobId), role: actor.role };
    });
  }
}
