import { previewSync } from '../../../features/sync/preview/preview-service.js';
import { clock } from '../../../lib/clock.js';
import { t } from '../../../lib/translate.js';
import { note, type Reply } from '../replies/reply.js';
import type { Answerable } from '../replies/reply-answer.js';
import { previewReply, type ReadPreview } from '../replies/reply-preview.js';
import { type Entrance, enter } from './command-access.js';

/**
 * Discord lets an answer be edited for 15 minutes. The remaining time is a reserve; members not read until then are
 * left out.
 */
const readForMs = 12 * 60_000;
const editEveryMs = 5_000;

interface PreviewUse extends Entrance {
  interaction: Answerable;
}

/** Previews the whole guild's sync and shows progress until it is done. Throws as `previewSync` does. */
export async function previewGuild({ guild, actor, interaction }: PreviewUse): Promise<Reply> {
  let editedAt = clock.monotonicMs();
  const tell = async ({ summary: { checked }, total }: ReadPreview) => {
    if (clock.monotonicMs() - editedAt < editEveryMs) return;
    await interaction.editReply(note('neutral', t('preview.reading', { checked, total })));
    editedAt = clock.monotonicMs();
  };
  return previewReply(guild._id, await readAll({ guild, actor, interaction }, tell), actor.role);
}

/** Reads the parts of a preview until the time is up. Each part is expected to take as long as the first. */
async function readAll(
  { guild, actor, interaction }: PreviewUse,
  tell: (soFar: ReadPreview) => Promise<void>,
): Promise<ReadPreview> {
  const end = clock.monotonicMs() + readForMs;
  const first = await previewSync(guild, actor, {});
  const total = guild.memberCount;
  let { nextCursor } = first;
  let read: ReadPreview = { ...first, isWhole: nextCursor === null, total };
  while (nextCursor !== null && clock.monotonicMs() < end) {
    await tell(read);
    await enter(interaction, 'viewer');
    const part = await previewSync(guild, actor, {}, nextCursor);
    // The guild is too large for one preview: this part belongs to a new one, which the button would not apply.
    if (part.previewId !== first.previewId) break;
    nextCursor = part.nextCursor;
    read = { ...part, members: [...read.members, ...part.members], isWhole: nextCursor === null, total };
  }
  return read;
}
