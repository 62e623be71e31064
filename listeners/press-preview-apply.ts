import type { Listener } from '@sapphire/framework';
import type { ButtonInteraction } from 'discord.js';
import { enterAsTeam } from '../src/edges/interactions/command-access.js';
import { answerWithProgress } from '../src/edges/interactions/command-resync.js';
import { ButtonListener } from '../src/edges/interactions/component-listener.js';
import { planOfPreview } from '../src/features/sync/preview/preview-service.js';
import { startResync } from '../src/features/sync/resync/resync-service.js';
import { t } from '../src/lib/translate.js';

/** "Apply exactly this", under a preview. */
export class PressPreviewApply extends ButtonListener {
  constructor(context: Listener.LoaderContext) {
    super(context, 'preview-apply');
  }

  protected override serve(interaction: ButtonInteraction, [previewId = '']: string[]) {
    return answerWithProgress(interaction, async () => {
      const { guild, actor } = await enterAsTeam(interaction, 'manager');
      const plan = await planOfPreview(guild._id, previewId);
      const { job, isNew } = await startResync(guild, actor, { plan });
      return { job, role: actor.role, note: isNew ? undefined : t('preview.not_applied') };
    });
  }
}
