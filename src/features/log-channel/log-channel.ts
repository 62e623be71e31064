import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEntry } from '../../core/audit/audit-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { KeyedQueue } from '../../lib/keyed-queue.js';
import { inLane } from '../../lib/lane.js';
import { logger } from '../../lib/logger.js';
import { type Locale, withLocale } from '../../lib/translate.js';
import { postQuietly } from '../../platforms/discord/channel-messages.js';
import { channelObstacle } from '../../platforms/discord/guild-channels.js';
import { DiscordForbids, refusalWords } from '../../platforms/discord/rest/discord-call.js';
import { bundleText, isTold } from './log-channel-text.js';

/** A guild's entries within this time, in milliseconds, become one message. */
export const gathering = { forMs: 2_000 };
/** A message has room for at most this many lines; the rest is only counted. */
const mostEntries = 50;

interface Bundle {
  entries: AuditEntry[];
  more: number;
}

/** In memory only: entries that a stopping process has not posted are still in the log. */
const bundles = new Map<string, Bundle>();
const posts = new KeyedQueue();
/** A context without the request or job that made the entry: the post doesn't share its lane, language or end. */
const apart = AsyncLocalStorage.snapshot();

/**
 * Posts a log entry into its guild's log channel (DISC-40), if there is one and admins want to read this action. It is
 * posted soon, together with others, after all other calls. Costs the caller nothing and never fails. While
 * a channel is not writable, it gets no posts, and the guild's health reports it.
 */
export function postSoon(entry: AuditEntry): void {
  if (!isTold(entry)) return;
  const { guildId } = entry;
  const bundle = bundles.get(guildId);
  if (bundle === undefined) {
    bundles.set(guildId, { entries: [entry], more: 0 });
    apart(() => setTimeout(() => void posts.add(guildId, () => post(guildId)), gathering.forMs).unref());
  } else if (bundle.entries.length < mostEntries) bundle.entries.push(entry);
  else bundle.more += 1;
}

/**
 * Posts everything gathered when its turn comes, including entries that came while the message before was being sent.
 */
async function post(guildId: string): Promise<void> {
  const bundle = bundles.get(guildId);
  bundles.delete(guildId);
  if (bundle === undefined) return;
  try {
    const { logChannelId, locale } = await readSettings(guildId);
    if (logChannelId === null) return;
    await inLane('bulk', async () => {
      if ((await channelObstacle(guildId, logChannelId)) === null) await postBundle(logChannelId, locale, bundle);
    });
  } catch (err) {
    logger.warn({ err, guildId }, 'log channel message lost');
  }
}

/** Posts one message, or line by line if Discord refuses the content of a line. */
async function postBundle(channelId: string, locale: Locale, { entries, more }: Bundle): Promise<void> {
  const textOf = (some: readonly AuditEntry[], rest: number) => withLocale(locale, () => bundleText(some, rest));
  try {
    await postQuietly(channelId, textOf(entries, more));
  } catch (error) {
    const isForWords = !(error instanceof DiscordForbids) && refusalWords(error) !== null;
    if (!isForWords || entries.length === 1) throw error;
    for (const entry of entries) {
      await postQuietly(channelId, textOf([entry], 0)).catch((err: unknown) => {
        logger.warn({ err, entryId: entry._id }, 'Discord refused a line of the log channel');
      });
    }
  }
}
