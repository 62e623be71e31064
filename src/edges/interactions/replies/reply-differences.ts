import { userMention } from 'discord.js';
import type { Guild } from '../../../core/guilds/guild-service.js';
import { readSettings } from '../../../core/settings/settings-service.js';
import { countDifferences, listDifferences } from '../../../features/sync/plan/difference-list.js';
import { readDifferenceNames } from '../../../features/sync/plan/difference-names.js';
import { viewDifference } from '../../../features/sync/plan/difference-view.js';
import { currentLocale, t } from '../../../lib/translate.js';
import { verbatim } from '../../../platforms/discord/channel-messages.js';
import { pressable } from '../commands/command-mention.js';
import { list, note, type Reply } from './reply.js';
import { nextButton, pageSize } from './reply-lists.js';

/** A page with the members that have differences, below their count. Throws ChatPlatformUnavailable. */
export async function differencesPage({ _id: guildId }: Guild, roleId: string | null, cursor?: string): Promise<Reply> {
  const [{ data, nextCursor }, counts, names, { mode }] = await Promise.all([
    listDifferences(guildId, { limit: pageSize, cursor, ...(roleId !== null && { roleId }) }),
    countDifferences(guildId),
    readDifferenceNames(guildId),
    readSettings(guildId),
  ]);
  const { matching, gaining, losing } = counts;
  const summary = t('differences.summary', { matching, gaining, losing });
  const lines = data.map((different) => {
    const { member, change } = different;
    const why = viewDifference(different, names).reasons.map(({ words }) => verbatim(words));
    const date = dayOf(change.observed.since);
    return `${userMention(member.chatUserId)}: ${[...why, t('difference.since', { date })].join(' ')}`;
  });
  const isLive = mode !== 'observe';
  if (isLive && counts.differing === 0) return note('neutral', pressable('differences.enforced_none'));
  const head = isLive ? [summary, t('differences.enforced')] : [summary];
  if (lines.length === 0) return note('neutral', [...head, t('differences.none')].join('\n'));
  return list(t('differences.title'), [...head, ...lines], nextButton('differences', nextCursor, roleId ?? ''));
}

/** The texts are in British English, and so are their dates. */
function dayOf(since: Date): string {
  const language = currentLocale();
  const ofDates = language === 'en' ? 'en-GB' : language;
  return new Intl.DateTimeFormat(ofDates, { dateStyle: 'long', timeZone: 'UTC' }).format(since);
}
