import { holds } from '../../core/actors/team-roles.js';
import { previewSync } from '../../features/sync/preview/preview-service.js';
import { clock } from '../../lib/clock.js';
import { t } from '../../lib/translate.js';
import { type Entrance, enter } from './command-access.js';
import { note, type Reply } from './reply.js';
import type { Answerable } from './reply-answer.js';
import { previewReply, type ReadPreview } from './reply-preview.js';

/** The answer can be edited for 15 minutes; what was not looked at by then is not covered. */
const readForMs = 12 * 60_000;
const editEveryMs = 5_000;

/** Who asked for a preview, by a command or a button. */
interface PreviewUse extends Entrance {
  interaction: Answerable;
}

/** Makes a preview of the guild, and says meanwhile how far it is. Throws as `previewSync` does. */
export async function previewGuild({ guild, actor, interaction }: PreviewUse): Promise<Reply> {
  let editedAt = clock.monotonicMs();
  const tell = async ({ summary: { checked }, total }: ReadPreview) => {
    if (clock.monotonicMs() - editedAt < editEveryMs) return;
    await interaction.editReply(note('neutral', t('preview.reading', { checked, total })));
    editedAt = clock.monotonicMs();
  };
  return previewReply(guild._id, await readAll({ guild, actor, interaction }, tell), holds(actor.role, 'manager'));
}

/** All parts of one preview, as far as time allows; for each it takes the same as for the first. */
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
    // Too large for one preview: another has begun, which the button would not apply.
    if (part.previewId !== first.previewId) break;
    nextCursor = part.nextCursor;
    read = { ...part, members: [...read.members, ...part.members], isWhole: nextCursor === null, total };
  }
  return read;
}
