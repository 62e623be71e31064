import { TimestampStyles, time } from 'discord.js';
import { actionFilter } from '../../../core/audit/audit-actions.js';
import { listEntries } from '../../../core/audit/audit-list.js';
import type { AuditEntry } from '../../../core/audit/audit-service.js';
import { actorShown, actorsOpenTo, pseudonymsOf } from '../../../core/audit/sealed-actors.js';
import { lineOf } from '../../../features/log-channel/log-channel-text.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { t } from '../../../lib/translate.js';
import type { Entrance } from '../commands/command-access.js';
import { list, note, type Reply } from './reply.js';
import { nextButton, pageSize } from './reply-lists.js';

/** The filters of /logs; `memberId` matches the actor or the target. */
export interface LogsWish {
  action: string | null;
  memberId: string | null;
}

/** A page from a guild's log, newest first. Throws InvalidRequest for an unknown action. */
export async function logsPage(
  { guild, actor }: Entrance,
  { action, memberId }: LogsWish,
  cursor?: string,
): Promise<Reply> {
  const wanted = actionFilter.nullable().safeParse(action);
  if (!wanted.success) throw new InvalidRequest([{ path: 'action', message: t('logs.unknown_action') }]);
  const opened = await actorsOpenTo(actor, guild._id);
  const filter = {
    action: wanted.data ?? undefined,
    involves: memberId ?? undefined,
    alsoActedAs: pseudonymsOf(memberId ?? '', opened),
  };
  const { data, nextCursor } = await listEntries(guild, filter, { limit: pageSize, cursor });
  if (data.length === 0) return note('neutral', t('logs.none'));
  return list(
    t('logs.title'),
    data.map((entry) => entryLine({ ...entry, actor: actorShown(entry, opened) })),
    nextButton('logs', nextCursor, action ?? '', memberId ?? ''),
  );
}

const entryLine = (entry: AuditEntry): string => `${time(entry.at, TimestampStyles.RelativeTime)} ${lineOf(entry)}`;
