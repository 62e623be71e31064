import { followedResync } from '../src/edges/interactions/commands/command-resync.js';
import { button } from '../src/edges/interactions/press.js';
import { planOfPreview } from '../src/features/sync/preview/preview-service.js';
import { startResync } from '../src/features/sync/resync/resync-service.js';
import { t } from '../src/lib/translate.js';

/** "Apply exactly this", under a preview. */
export const PressPreviewApply = button(
  'preview-apply',
  { as: 'manager' },
  async ({ guild, actor, state: [previewId = ''] }) => {
    const preview = await planOfPreview(guild, previewId);
    const { job, isNew } = await startResync(guild, actor, { preview });
    return followedResync(job, actor, isNew ? undefined : t('preview.not_applied'));
  },
);
