import { trusted } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { decodeCursor, type Page, type PageQuery, pageOf } from '../../lib/cursor.js';
import type { InGuild } from '../../platforms/database/guild-model.js';
import type { HeldAccount } from '../actors/actor.js';
import type { AuditAction } from './audit-actions.js';
import { entriesWhere, indexFor, type LogFilter, type LogOwner, newerFirst, partsOf } from './audit-filter.js';
import { type AuditEntry, AuditLog, aboutAccount, auditIndexes, newestFirst } from './audit-model.js';

/** A page's position, after one entry: its id's hex digits, which include the second, and its milliseconds. */
const place = z.tuple([z.hex().length(24), z.int().min(0).max(999)]);

/** A page from a guild's log, newest first. The order is stable while entries are added, even within a millisecond. */
export async function listEntries(
  guild: LogOwner,
  filter: LogFilter,
  { limit, cursor }: PageQuery,
): Promise<Page<AuditEntry>> {
  const found = await Promise.all(partsOf(filter).map((part) => readPage(guild, part, { limit, cursor })));
  const entries = [...new Map(found.flat().map((entry) => [entry._id, entry])).values()];
  return pageOf(found.length === 1 ? entries : entries.sort(newerFirst), limit, placeOf);
}

function readPage(guild: LogOwner, filter: LogFilter, { limit, cursor }: PageQuery): Promise<AuditEntry[]> {
  const order = { sort: newestFirst, limit: limit + 1, hint: indexFor(filter) };
  return AuditLog.find(pageFilter(guild, filter, cursor), order);
}

const placeOf = ({ _id, at }: AuditEntry): z.output<typeof place> => [_id.slice(4), at.getMilliseconds()];

/** The entries from which a page is cut. One index lists them in order, starting with the page's first entry. */
export function pageFilter(guild: LogOwner, filter: LogFilter, cursor: string | undefined): InGuild<AuditEntry> {
  const from = decodeCursor(place, cursor);
  if (from === undefined) return entriesWhere(guild, filter, clock.now());
  const [digits, milliseconds] = from;
  const at = new Date(Number.parseInt(digits.slice(0, 8), 16) * 1000 + milliseconds);
  const nextMillisecond = new Date(at.getTime() + 1);
  const { to = nextMillisecond } = filter;
  return {
    ...entriesWhere(guild, { ...filter, to: to < nextMillisecond ? to : nextMillisecond }, clock.now()),
    // With `$or`, MongoDB would choose another index.
    $nor: [{ at, _id: trusted({ $gte: `log_${digits}` }) }],
  };
}

/**
 * A person's entries in all logs: first as actor, then as target, then about their accounts without a member; newest
 * first in each guild.
 */
export async function* entriesOfPerson(
  chatUserId: string,
  accounts: readonly HeldAccount[],
): AsyncGenerator<AuditEntry> {
  const byOthers = { 'actor.id': trusted({ $ne: chatUserId }) };
  for (const filter of [
    { 'actor.id': chatUserId },
    { 'target.id': chatUserId, ...byOthers },
    ...accounts.map((account) => ({ ...aboutAccount(account), ...byOthers })),
  ]) {
    const found = AuditLog.acrossGuilds.find(filter).sort({ guildId: 1, at: -1, _id: -1 });
    yield* found.lean<AuditEntry>().cursor();
  }
}

/** Most entries read for names: a guild hardly has more vanished things on one page. */
const mostNamed = 250;

/** The names that the newest entries with this action give to their targets or actors, by id. */
export async function namesInLog(
  guildId: string,
  action: AuditAction,
  of: 'target' | 'actor' = 'target',
): Promise<ReadonlyMap<string, string>> {
  const order = { sort: newestFirst, limit: mostNamed, hint: auditIndexes.action };
  const entries = await AuditLog.find({ guildId, action }, order);
  return new Map(entries.reverse().flatMap(({ [of]: { id, name } }) => (name === undefined ? [] : [[id, name]])));
}
