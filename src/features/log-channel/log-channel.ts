import { AsyncLocalStorage } from 'node:async_hooks';
import type { AuditEntry } from '../../core/audit/audit-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { KeyedQueue } from '../../lib/keyed-queue.js';
import { logger } from '../../lib/logger.js';
import { withLocale } from '../../lib/translate.js';
import { postQuietly } from '../../platforms/discord/channel-messages.js';
import { channelObstacle } from '../../platforms/discord/guild-channels.js';
import { inLane } from '../../platforms/discord/lane.js';
import { bundleText, isTold } from './log-channel-text.js';

/** Entries of a guild that come within this time, in milliseconds, are one message. */
export const gathering = { forMs: 2_000 };
/** A message has no room for more lines than these; of what comes beyond, only the number is told. */
const mostEntries = 50;

/** What is to be posted in a guild next. */
interface Bundle {
  entries: AuditEntry[];
  more: number;
}

/** In memory only: what a stopping process has not posted yet is in the log all the same. */
const bundles = new Map<string, Bundle>();
const posts = new KeyedQueue();
/** Outside of whatever request or job an entry comes from: its lane, language and end are not the post's. */
const apart = AsyncLocalStorage.snapshot();

/**
 * Posts an audit entry into the log channel of its guild (SPEC §4 Settings), if it has one and the entry is of what
 * admins want to read: soon, together with others, and after everything that somebody waits for. Costs the caller
 * nothing and never fails; a channel that cannot be written into is left alone (the guild's health says so) until it can.
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

/** Posts all that has come together until it is its turn: also what came while the message before it was on its way. */
async function post(guildId: string): Promise<void> {
  const bundle = bundles.get(guildId);
  bundles.delete(guildId);
  if (bundle === undefined) return;
  try {
    const { logChannelId, locale } = await readSettings(guildId);
    if (logChannelId === null) return;
    const text = withLocale(locale, () => bundleText(bundle.entries, bundle.more));
    await inLane('bulk', async () => {
      if ((await channelObstacle(guildId, logChannelId)) === null) await postQuietly(logChannelId, text);
    });
  } catch (err) {
    logger.warn({ err, guildId }, 'A post for the log channel was lost');
  }
}
