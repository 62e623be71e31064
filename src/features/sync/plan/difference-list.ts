import { Readable } from 'node:stream';
import { type QueryFilter, Types, trusted } from 'mongoose';
import { z } from 'zod';
import { csvLine, formulaSafe } from '../../../core/audit/csv-cell.js';
import { decodeCursor, type Page, pageOf } from '../../../lib/cursor.js';
import { snowflake } from '../../../lib/ids.js';
import { logger } from '../../../lib/logger.js';
import { readDirectly } from '../../../platforms/database/direct-reads.js';
import type { InGuild } from '../../../platforms/database/guild-model.js';
import { leftOutItself } from '../../members/left-out.js';
import { type Member, Members, memberFields, memberIndexes } from '../../members/member-model.js';
import type { DifferenceNames } from './difference-names.js';
import { type DifferentMember, viewDifference } from './difference-view.js';
import { anything, isObserved, type ObservedChange, observedPlan } from './observed-changes.js';
import {
  byNewest,
  type DifferenceReason,
  differenceReason,
  type PlannedChange,
  PlannedChanges,
} from './planned-change-model.js';

const differenceEffect = z.enum(['kicked', 'losing', 'gaining', 'renamed']);
type DifferenceEffect = z.output<typeof differenceEffect>;

/** Each effect's field in a change. */
const fieldOf: Readonly<Record<DifferenceEffect, string>> = {
  kicked: 'expected.kick',
  losing: 'expected.remove.0',
  gaining: 'expected.add.0',
  renamed: 'expected.nickname',
};

export const differenceFilters = {
  roleId: snowflake.optional().describe('Those that would give or take this role.'),
  reason: differenceReason.optional(),
  effect: differenceEffect.optional().describe('Those whom a sync would remove, rename, or give or take a role.'),
};

interface DifferenceFilter {
  roleId?: string | undefined;
  reason?: DifferenceReason | undefined;
  effect?: DifferenceEffect | undefined;
}

/** The end of a page: the difference's time, and the document's id. Short enough for a custom id. */
const place = z.string().regex(/^\d{1,15}-[0-9a-f]{24}$/);
const placeOf = ({ observed, _id }: ObservedChange): string => `${observed.since.getTime()}-${_id.toHexString()}`;
const newestFirst = { 'observed.since': -1, _id: -1 } as const;
const perRead = 200;

/** A page with the members that have differences, the newest first. */
export async function listDifferences(
  guildId: string,
  { limit, cursor, ...filter }: DifferenceFilter & { limit: number; cursor?: string | undefined },
): Promise<Page<DifferentMember>> {
  const found: DifferentMember[] = [];
  const from = decodeCursor(place, cursor);
  for await (const different of everyDifference(guildId, filter, { from, atOnce: limit + 1 })) {
    found.push(different);
    if (found.length > limit) break;
  }
  return pageOf(found, limit, ({ change }) => placeOf(change));
}

/** Avoids `$or`, so that there is one plan. */
function whereObserved(
  guildId: string,
  { roleId, reason, effect }: DifferenceFilter,
  from: string | undefined,
): InGuild<PlannedChange> {
  const [first = anything, second] = [roleId, reason].filter((wanted) => wanted !== undefined);
  const [time = '', id = ''] = from?.split('-') ?? [];
  const at = from === undefined ? undefined : new Date(Number(time));
  const behind: QueryFilter<PlannedChange>[] =
    at === undefined ? [] : [{ 'observed.since': at, _id: trusted({ $gte: new Types.ObjectId(id) }) }];
  return {
    ...{ guildId, planId: observedPlan(guildId), 'observed.about': first },
    'observed.since': trusted(at === undefined ? { $exists: true } : { $lte: at }),
    ...(second !== undefined && { $and: [{ 'observed.about': second }] }),
    ...(effect !== undefined && { [fieldOf[effect]]: trusted({ $exists: true }) }),
    ...(behind.length > 0 && { $nor: behind }),
  };
}

/** Reads the server's member differences that match a filter, `atOnce` at a time, the newest first. */
async function* everyDifference(
  guildId: string,
  filter: DifferenceFilter,
  { from, atOnce = perRead }: { from?: string | undefined; atOnce?: number } = {},
): AsyncGenerator<DifferentMember> {
  for (let next = from; ; ) {
    const options = { sort: newestFirst, limit: atOnce, hint: byNewest };
    const found = await readDirectly(PlannedChanges.acrossGuilds, whereObserved(guildId, filter, next), options);
    const changes = found.filter(isObserved);
    const members = await differingAmong(guildId, changes);
    for (const change of changes) {
      const member = members.get(change.chatUserId);
      if (member !== undefined) yield { member, change };
    }
    const last = changes.at(-1);
    if (last === undefined || changes.length < atOnce) return;
    next = placeOf(last);
  }
}

async function differingAmong(guildId: string, changes: readonly ObservedChange[]): Promise<Map<string, Member>> {
  if (changes.length === 0) return new Map();
  const chatUserId = trusted({ $in: changes.map((change) => change.chatUserId) });
  const theirs = { guildId, chatUserId, present: true, differs: true as const };
  const members = await Members.find(theirs, { hint: memberIndexes.chatUserId });
  return new Map(members.map((member) => [member.chatUserId, member]));
}

export interface DifferenceCounts {
  /** Members in the server without a difference. */
  matching: number;
  differing: number;
  /** Members in the server left out by an admin. They are in no other number. */
  leftOut: number;
  gaining: number;
  losing: number;
  renamed: number;
  kicked: number;
  byRole: { roleId: string; gaining: number; losing: number }[];
  byReason: { reason: DifferenceReason; members: number }[];
}

export async function countDifferences(guildId: string): Promise<DifferenceCounts> {
  const present = trusted({ $in: memberFields.shape.state.options });
  const [all, leftOut] = await Promise.all([
    Members.count({ guildId, state: present, present: true }, { hint: memberIndexes.linkedAt }),
    Members.count({ guildId, blockedBy: leftOutItself, present: true }, { hint: memberIndexes.blockedBy }),
  ]);
  const counts = { differing: 0, gaining: 0, losing: 0, renamed: 0, kicked: 0 };
  const roles = new Map<string, { roleId: string; gaining: number; losing: number }>();
  const reasons = new Map<DifferenceReason, number>();
  const roleOf = (roleId: string) => {
    const role = roles.get(roleId) ?? { roleId, gaining: 0, losing: 0 };
    roles.set(roleId, role);
    return role;
  };
  for await (const { change } of everyDifference(guildId, {})) {
    const { add, remove, nickname, kick } = change.expected;
    counts.differing += 1;
    if (add.length > 0) counts.gaining += 1;
    if (remove.length > 0) counts.losing += 1;
    if (nickname !== undefined) counts.renamed += 1;
    if (kick !== undefined) counts.kicked += 1;
    for (const roleId of add) roleOf(roleId).gaining += 1;
    for (const roleId of remove) roleOf(roleId).losing += 1;
    for (const code of new Set(change.observed.reasons.map((reason) => reason.code)))
      reasons.set(code, (reasons.get(code) ?? 0) + 1);
  }
  const byRole = [...roles.values()].sort((a, b) => b.gaining + b.losing - a.gaining - a.losing);
  const byReason = [...reasons].map(([reason, members]) => ({ reason, members })).sort((a, b) => b.members - a.members);
  return { matching: all - counts.differing - leftOut, leftOut, ...counts, byRole, byReason };
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
  for await (const different of members) {
    const { memberId, chatUsername, gameUsername, add, remove, nickname, kick, since, reasons } = viewDifference(
      different,
      names,
    );
    const given = nickname === undefined ? '' : formulaSafe(nickname ?? '');
    const words = reasons.map((reason) => reason.words).join(' ');
    const roles = [add, remove].map((ids) => ids.map(names.roleName).join(', ')).map(formulaSafe);
    const who = [memberId, formulaSafe(chatUsername), formulaSafe(gameUsername ?? '')];
    yield csvLine([...who, ...roles, given, kick ?? '', since, formulaSafe(words)]);
  }
}
