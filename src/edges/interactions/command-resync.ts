import { setTimeout as delay } from 'node:timers/promises';
import type { Actor } from '../../core/actors/actor.js';
import type { TeamRole } from '../../core/actors/team-roles.js';
import { type ResyncJob, readResync, startResync } from '../../features/sync/resync/resync-service.js';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { currentLocale, t, withLocale } from '../../lib/translate.js';
import type { Entrance } from './command-access.js';
import { pressable } from './command-mention.js';
import type { Reply } from './reply.js';
import type { Answerable, FollowedReply } from './reply-answer.js';
import { isOver, resyncProgress } from './reply-resync.js';

/** The interval of edits, and how long they continue: Discord lets an answer be edited for 15 minutes. */
export const following = { everyMs: 5_000, forMs: 14 * 60_000 };

/** The answers being kept up to date, by message. Pressing a button under a message restarts its updates. */
const followed = new Map<string, AbortController>();

/**
 * A resync's progress for a person with `actor`'s role, with `note` above it; edited until the resync ends. The data
 * comes from the database, so /resync status works after a restart too.
 */
export function followedResync(job: ResyncJob, { role }: Actor, note?: string): FollowedReply {
  const language = currentLocale();
  const first = { job, role, note, reply: resyncProgress(job, role, note) };
  return { reply: first.reply, follow: (interaction) => withLocale(language, () => follow(interaction, first)) };
}

/** Starts a resync of all members, or shows the running one. Throws as `startResync` does. */
export async function beginResync({ guild, actor }: Entrance): Promise<FollowedReply> {
  const { job, isNew } = await startResync(guild, actor);
  return followedResync(job, actor, isNew ? undefined : t('resync.already'));
}

interface Shown {
  job: ResyncJob;
  role: TeamRole | null;
  note: string | undefined;
  reply: Reply;
}

/** Never throws. An answer that can no longer be edited was dismissed and shows nothing wrong. */
async function follow(interaction: Answerable, first: Shown): Promise<void> {
  const end = new AbortController();
  let messageId = '';
  try {
    ({ id: messageId } = await interaction.fetchReply());
    followed.get(messageId)?.abort();
    followed.set(messageId, end);
    await editUntilOver(interaction, first, end.signal);
  } catch (error) {
    if (!end.signal.aborted) logger.info({ err: error }, 'A resync is not shown any longer');
  } finally {
    if (followed.get(messageId) === end) followed.delete(messageId);
  }
}

async function editUntilOver(interaction: Answerable, first: Shown, signal: AbortSignal): Promise<void> {
  const until = clock.monotonicMs() + following.forMs;
  for (let shown = first, isLast = false; !isLast && !isOver(shown.job); ) {
    await delay(following.everyMs, undefined, { signal, ref: false });
    const job = await readResync({ _id: first.job.guildId }, first.job._id);
    isLast = clock.monotonicMs() >= until;
    const note = isLast && !isOver(job) ? pressable('resync.use_status') : first.note;
    const reply = resyncProgress(job, first.role, note);
    if (JSON.stringify(reply) !== JSON.stringify(shown.reply)) await interaction.editReply(reply);
    shown = { ...shown, job, reply };
  }
}
