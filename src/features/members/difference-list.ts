import { Readable } from 'node:stream';
import { type QueryFilter, Types, trusted } from 'mongoose';
import { z } from 'zod';
import { csvLine, formulaSafe } from '../../core/audit/csv-cell.js';
import { decodeCursor, type Page, pageOf } from '../../lib/cursor.js';
import { snowflake } from '../../lib/ids.js';
import { logger } from '../../lib/logger.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import type { InGuild } from '../../platforms/database/guild-model.js';
import type { DifferenceNames } from './difference-names.js';
import { type DifferentMember, isDifferent, viewDifference } from './difference-view.js';
import { type Member, Members, memberFields, memberIndexes } from './member-model.js';
import { type DifferenceReason, differenceReason } from './member-sync-fields.js';

export const differenceFilters = {
  roleId: snowflake.optional().describe('Those that would give or take this role.'),
  reason: differenceReason.optional(),
};

interface DifferenceFilter {
  roleId?: string | undefined;
  reason?: DifferenceReason | undefined;
}

/** The end of a page: the time of the difference, and the document's id. Short enough for a custom id. */
const place = z.string().regex(/^\d{1,15}-[0-9a-f]{24}$/);
const newestFirst = { 'difference.since': -1, _id: -1 } as const;
const batchSize = 200;

/** A page of the members with differences, the newest first. */
export async function listDifferences(
  guildId: string,
  { limit, cursor, ...filter }: DifferenceFilter & { limit: number; cursor?: string | undefined },
): Promise<Page<DifferentMember>> {
  const from = decodeCursor(place, cursor);
  const found = await readDirectly(Members.acrossGuilds, whereDifferent(guildId, filter, from), {
    sort: newestFirst,
    limit: limit + 1,
    hint: indexFor(filter),
  });
  const members = found.filter(isDifferent);
  return pageOf(members, limit, ({ difference, _id }) => `${difference.since.getTime()}-${_id.toHexString()}`);
}

const indexFor = ({ roleId, reason }: DifferenceFilter) =>
  roleId === undefined && reason === undefined ? memberIndexes.differs : memberIndexes.differsAbout;

/** Avoids `$or`, so that there is one plan. */
function whereDifferent(guildId: string, { roleId, reason }: DifferenceFilter, from?: string): InGuild<Member> {
  const [first, second] = [roleId, reason].filter((wanted) => wanted !== undefined);
  const [time = '', id = ''] = from?.split('-') ?? [];
  const at = from === undefined ? undefined : new Date(Number(time));
  const behind: QueryFilter<Member>[] =
    at === undefined ? [] : [{ 'difference.since': at, _id: trusted({ $gte: new Types.ObjectId(id) }) }];
  return {
    guildId,
    present: true,
    ...(first !== undefined && { 'difference.about': first }),
    'difference.since': trusted(at === undefined ? { $exists: true } : { $lte: at }),
    ...(second !== undefined && { $and: [{ 'difference.about': second }] }),
    ...(behind.length > 0 && { $nor: behind }),
  };
}

export interface DifferenceCounts {
  /** Members in the server without a difference. */
  matching: number;
  differing: number;
  gaining: number;
  losing: number;
  renamed: number;
  kicked: number;
  byRole: { roleId: string; gaining: number; losing: number }[];
  byReason: { reason: DifferenceReason; members: number }[];
}

export async function countDifferences(guildId: string): Promise<DifferenceCounts> {
  const present = trusted({ $in: memberFields.shape.state.options });
  const all = await Members.count({ guildId, state: present, present: true }, { hint: memberIndexes.linkedAt });
  const counts = { differing: 0, gaining: 0, losing: 0, renamed: 0, kicked: 0 };
  const roles = new Map<string, { roleId: string; gaining: number; losing: number }>();
  const reasons = new Map<DifferenceReason, number>();
  const roleOf = (roleId: string) => {
    const role = roles.get(roleId) ?? { roleId, gaining: 0, losing: 0 };
    roles.set(roleId, role);
    return role;
  };
  for await (const { difference } of everyDifference(guildId, {})) {
    const { give, take, nickname, kick } = difference;
    counts.differing += 1;
    if (give.length > 0) counts.gaining += 1;
    if (take.length > 0) counts.losing += 1;
    if (nickname !== undefined) counts.renamed += 1;
    if (kick !== undefined) counts.kicked += 1;
    for (const roleId of give) roleOf(roleId).gaining += 1;
    for (const roleId of take) roleOf(roleId).losing += 1;
    for (const code of new Set(difference.reasons.map((reason) => reason.code)))
      reasons.set(code, (reasons.get(code) ?? 0) + 1);
  }
  const byRole = [...roles.values()].sort((a, b) => b.gaining + b.losing - a.gaining - a.losing);
  const byReason = [...reasons].map(([reason, members]) => ({ reason, members })).sort((a, b) => b.members - a.members);
  return { matching: all - counts.differing, ...counts, byRole, byReason };
}

async function* everyDifference(guildId: string, filter: DifferenceFilter): AsyncGenerator<DifferentMember> {
  const options = { sort: newestFirst, batchSize, hint: indexFor(filter) };
  for await (const member of Members.cursor(whereDifferent(guildId, filter), options)) {
    if (isDifferent(member)) yield member;
  }
}

const columns = ['memberId', 'chatUsername', 'gameUsername', 'add', 'remove', 'nickname', 'kick', 'since', 'reasons'];

/** All differences that match a filter, as CSV with a header line. */
export function exportDifferences(guildId: string, filter: DifferenceFilter, names: DifferenceNames): Readable {
  const stream = Readable.from(csvOf(everyDifference(guildId, filter), names));
  stream.once('error', (error: unknown) => logger.warn({ err: error }, 'export of differences aborted'));
  return stream;
}

async function* csvOf(members: AsyncIterable<DifferentMember>, names: DifferenceNames): AsyncGenerator<string> {
  yield csvLine(columns);
  for await (const member of members) {
    const { memberId, chatUsername, gameUsername, add, remove, nickname, kick, since, reasons } = viewDifference(
      member,
      names,
    );
    const given = nickname === undefined ? '' : formulaSafe(nickname ?? '');
    const words = reasons.map((reason) => reason.words).join(' ');
    const roles = [add, remove].map((ids) => ids.map(names.roleName).join(', ')).map(formulaSafe);
    const who = [memberId, formulaSafe(chatUsername), formulaSafe(gameUsername ?? '')];
    yield csvLine([...who, ...roles, given, kick ?? '', since, formulaSafe(words)]);
  }
}
