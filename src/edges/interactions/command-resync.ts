import { setTimeout as delay } from 'node:timers/promises';
import type { TeamRole } from '../../core/actors/team-roles.js';
import { type ResyncJob, readResync } from '../../features/sync/resync/resync-service.js';
import { clock } from '../../lib/clock.js';
import { logger, withLogContext } from '../../lib/logger.js';
import { t } from '../../lib/translate.js';
import { inGuildLanguage } from './guild-language.js';
import type { Reply } from './reply.js';
import { type Answerable, answer } from './reply-answer.js';
import { isOver, resyncProgress } from './reply-resync.js';

/** A resync that somebody with `role` looks at; `note` is said above it. */
export interface ShownResync {
  job: ResyncJob;
  role: TeamRole | null;
  note?: string | undefined;
}

/** How often an answer is edited at most, and until when: Discord lets it be edited for 15 minutes. */
export const following = { everyMs: 5_000, forMs: 14 * 60_000 };

/** The answers that are kept up to date, by their message: pressing a button under one begins that anew. */
const followed = new Map<string, AbortController>();

/**
 * Answers with the progress of the resync that `work` gives, and edits the answer until the resync has ended. What is
 * shown comes from the database: after a restart /resync status goes on with it. `work` may give another answer instead.
 */
export async function answerWithProgress(
  interaction: Answerable,
  work: () => Promise<ShownResync | Reply>,
): Promise<void> {
  let follow = async () => {};
  await answer(interaction, async () => {
    const result = await work();
    if (!('job' in result)) return result;
    const reply = progressOf(result);
    follow = () => followResync(interaction, result, reply);
    return reply;
  });
  await withLogContext({ interactionId: interaction.id }, () => inGuildLanguage(interaction, follow));
}

const progressOf = ({ job, role, note }: ShownResync): Reply => resyncProgress(job, role, note);

/** Never throws: an answer that cannot be edited any more has been dismissed, and says nothing wrong. */
async function followResync(interaction: Answerable, first: ShownResync, reply: Reply): Promise<void> {
  const end = new AbortController();
  let messageId = '';
  try {
    ({ id: messageId } = await interaction.fetchReply());
    followed.get(messageId)?.abort();
    followed.set(messageId, end);
    await editUntilOver(interaction, first, reply, end.signal);
  } catch (error) {
    if (!end.signal.aborted) logger.info({ err: error }, 'A resync is not shown any longer');
  } finally {
    if (followed.get(messageId) === end) followed.delete(messageId);
  }
}

async function editUntilOver(
  interaction: Answerable,
  first: ShownResync,
  reply: Reply,
  signal: AbortSignal,
): Promise<void> {
  const until = clock.monotonicMs() + following.forMs;
  let last = reply;
  for (let shown = first; !isOver(shown.job); ) {
    await delay(following.everyMs, undefined, { signal, ref: false });
    const job = await readResync({ _id: first.job.guildId }, first.job._id);
    const isLast = clock.monotonicMs() >= until;
    shown = { ...first, job, ...(isLast && !isOver(job) && { note: t('resync.use_status') }) };
    const next = progressOf(shown);
    if (JSON.stringify(next) !== JSON.stringify(last)) await interaction.editReply(next);
    last = next;
    if (isLast) return;
  }
}
