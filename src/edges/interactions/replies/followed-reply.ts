import { setTimeout as delay } from 'node:timers/promises';
import { clock } from '../../../lib/clock.js';
import { logger } from '../../../lib/logger.js';
import { currentLocale, withLocale } from '../../../lib/translate.js';
import type { Reply } from './reply.js';
import type { Answerable, FollowedReply } from './reply-answer.js';

/** The interval between edits, and how long they continue: Discord lets an answer be edited for 15 minutes. */
export const following = { everyMs: 5_000, forMs: 14 * 60_000 };

/** The answers being kept up to date, by message. Pressing a button under a message restarts its updates. */
const followed = new Map<string, AbortController>();

interface Followed<T> {
  read(): Promise<T>;
  isOver(work: T): boolean;
  /** `isLast`: the answer is not edited any more, and the work continues. */
  show(work: T, isLast: boolean): Reply;
}

/** The progress of `first`, in the present language; edited until the work has ended. */
export function followedReply<T>(first: T, work: Followed<T>): FollowedReply {
  const language = currentLocale();
  const reply = work.show(first, false);
  const start = { state: first, reply };
  return { reply, follow: (interaction) => withLocale(language, () => follow(interaction, start, work)) };
}

interface Shown<T> {
  state: T;
  reply: Reply;
}

/** Never throws. An answer that can no longer be edited was dismissed and shows nothing wrong. */
async function follow<T>(interaction: Answerable, first: Shown<T>, work: Followed<T>): Promise<void> {
  const end = new AbortController();
  let messageId = '';
  try {
    ({ id: messageId } = await interaction.fetchReply());
    followed.get(messageId)?.abort();
    followed.set(messageId, end);
    await editUntilOver(interaction, first, work, end.signal);
  } catch (error) {
    if (!end.signal.aborted) logger.info({ err: error }, 'progress message no longer updated');
  } finally {
    if (followed.get(messageId) === end) followed.delete(messageId);
  }
}

async function editUntilOver<T>(
  interaction: Answerable,
  first: Shown<T>,
  { read, isOver, show }: Followed<T>,
  signal: AbortSignal,
): Promise<void> {
  const until = clock.monotonicMs() + following.forMs;
  for (let shown = first, isLast = false; !isLast && !isOver(shown.state); ) {
    await delay(following.everyMs, undefined, { signal, ref: false });
    const state = await read();
    isLast = clock.monotonicMs() >= until;
    const reply = show(state, isLast && !isOver(state));
    if (JSON.stringify(reply) !== JSON.stringify(shown.reply)) await interaction.editReply(reply);
    shown = { state, reply };
  }
}
