import { type QueryFilter, Types, trusted } from 'mongoose';
import { z } from 'zod';
import { decodeCursor, type Page, pageOf } from '../../lib/cursor.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import type { Hint, InGuild } from '../../platforms/database/guild-model.js';
import { type MemberNarrowing, type Narrowed, narrowingsOf } from './member-filters.js';
import { type Member, Members, memberIndexes } from './member-model.js';
import { countGoneAccounts } from './member-service.js';
import { type MemberStatus, statusOf } from './member-view.js';

/** Filters and order of GET …/members. `q` is the start of a name, or a member's id. */
export interface MemberQuery extends MemberNarrowing {
  q?: string | undefined;
  gameUserId?: string | undefined;
  status: MemberStatus;
  sort: MemberSort;
  limit: number;
  cursor?: string | undefined;
}

export const memberSorts = ['-linkedAt', 'linkedAt', 'gameUsername', '-gameUsername'] as const;
type MemberSort = (typeof memberSorts)[number];

/** The end of a page: the sorted value, and the document's id. */
const placeIn = {
  linkedAt: z.strictObject({ at: z.iso.datetime().nullable(), id: z.hex().length(24) }),
  gameUsername: z.strictObject({ at: z.string().nullable(), id: z.hex().length(24) }),
};

/** Both values are named, so that the index continues with the sort order after it. */
const eitherWay = trusted({ $in: [true, false] });

const filterOfStatus: Record<MemberStatus, QueryFilter<Member>> = {
  linked: { state: 'linked', present: true, goneSince: trusted({ $exists: false }) },
  account_gone: { state: 'linked', present: true, goneSince: trusted({ $exists: true }) },
  left: { state: 'linked', present: false },
  unlinked: { state: 'unlinked', present: eitherWay },
  joined: { state: 'joined', present: eitherWay },
};

/** Above this number of matches a page is searched in its order; below it, all matches are sorted. */
const mostSorted = 1_000;

export async function listMembers(guildId: string, query: MemberQuery): Promise<Page<Member>> {
  const { sort, limit, status, gameUserId, q } = query;
  const field = sort.endsWith('linkedAt') ? 'linkedAt' : 'gameUsername';
  const direction = sort.startsWith('-') ? -1 : 1;
  const inOrder: Search = {
    filter: {},
    hint: gameUserId === undefined ? memberIndexes[field] : memberIndexes.gameUserId,
  };
  // Nobody's rank is shown once their link has ended (ID-33).
  if (query.rank !== undefined && (status === 'unlinked' || status === 'joined')) return { data: [], nextCursor: null };
  const narrowings = narrowingsOf(query);
  const { filter: matches, hint } = await searchFor(guildId, q, narrowings, inOrder);
  const wanted: QueryFilter<Member>[] = [
    filterOfStatus[status],
    ...narrowings.map((narrowed) => narrowed.filter),
    ...(gameUserId === undefined ? [] : [{ gameUserId }]),
    matches,
    behind(field, direction, decodeCursor(placeIn[field], query.cursor)),
  ];
  const filter: InGuild<Member> = { guildId, $and: wanted };
  const found = await readDirectly(Members.acrossGuilds, filter, {
    sort: { [field]: direction, _id: direction },
    limit: limit + 1,
    hint,
  });
  return pageOf(found, limit, (member) => ({ at: placeOf(member[field]), id: member._id.toHexString() }));
}

/** People by their Discord ids, or by the Roblox accounts linked to them here. */
export type MemberIds = { memberIds: readonly string[] } | { gameUserIds: readonly string[] };

/** The members with these ids, one answer per id in the same order; null: no such member. Takes one read. */
export async function lookUpMembers(
  guildId: string,
  wish: MemberIds,
): Promise<{ id: string; member: Member | null }[]> {
  const [field, ids] =
    'memberIds' in wish ? (['chatUserId', wish.memberIds] as const) : (['gameUserId', wish.gameUserIds] as const);
  const filter = { guildId, [field]: trusted({ $in: [...new Set(ids)] }) };
  const found = await Members.find(filter, { hint: memberIndexes[field] });
  const byId = new Map(found.map((member) => [member[field], member]));
  return ids.map((id) => ({ id, member: byId.get(id) ?? null }));
}

interface Search {
  filter: QueryFilter<Member>;
  hint: Hint;
}

/** Members that match one of these; without any, all of them. */
async function searchFor(
  guildId: string,
  q: string | undefined,
  narrowings: readonly Narrowed[],
  inOrder: Search,
): Promise<Search> {
  const wishes = wishesOf(q, narrowings);
  if (wishes.length === 0) return inOrder;
  const ids = (await findSome(guildId, wishes)).map(({ _id }) => _id);
  if (ids.length <= mostSorted) return { filter: { _id: trusted({ $in: ids }) }, hint: '_id_' };
  return q === undefined ? inOrder : { ...inOrder, filter: { $or: wishes.map(({ filter }) => filter) } };
}

/**
 * The searches that find members by a name that begins with `q`, in any case, or by `q` as their Discord or Roblox id.
 * Without `q`, the search by the first of the other filters that has an index.
 */
function wishesOf(q: string | undefined, narrowings: readonly Narrowed[]): Search[] {
  if (q === undefined) {
    const indexed = narrowings.find(({ hint }) => hint !== null);
    if (indexed === undefined || indexed.hint === null) return [];
    return [{ filter: { $and: narrowings.map(({ filter }) => filter) }, hint: indexed.hint }];
  }
  const start = q.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  const byName = { names: trusted({ $regex: `^${start}` }) };
  const byId: Search[] = [
    { filter: { chatUserId: q }, hint: memberIndexes.chatUserId },
    { filter: { gameUserId: q }, hint: memberIndexes.gameUserId },
  ];
  return [{ filter: byName, hint: memberIndexes.names }, ...(/^\d+$/.test(q) ? byId : [])];
}

type Found = Pick<Member, '_id' | 'state' | 'present' | 'goneSince' | 'gameUserId'>;
const foundFields = { state: 1, present: 1, goneSince: 1, gameUserId: 1 } as const;

/** Up to a thousand matches per search, and one more to show that there are others. */
async function findSome(guildId: string, wishes: readonly Search[]): Promise<Found[]> {
  const found = wishes.map(({ filter, hint }) =>
    Members.acrossGuilds
      .find({ guildId, ...filter }, foundFields, { hint })
      .limit(mostSorted + 1)
      .lean<Found[]>()
      .exec(),
  );
  return (await Promise.all(found)).flat();
}

/**
 * The number of a guild's members with each status, among those that match the filters if given; null where more than
 * 1,000 match, or no index finds them.
 */
export async function countMembers(
  guildId: string,
  { q, gameUserId, ...narrowing }: Pick<MemberQuery, 'q' | 'gameUserId'> & MemberNarrowing,
): Promise<Record<MemberStatus, number> | null> {
  const narrowings = narrowingsOf(narrowing);
  const byAccount = gameUserId === undefined ? [] : [{ filter: { gameUserId }, hint: memberIndexes.gameUserId }];
  const searches = q === undefined && byAccount.length > 0 ? byAccount : wishesOf(q, narrowings);
  if (searches.length === 0) return narrowings.length === 0 ? countAll(guildId) : null;
  const wishes = searches.map(({ filter, hint }) => ({
    filter: { $and: [filter, ...narrowings.map((narrowed) => narrowed.filter)] },
    hint,
  }));
  const found = await findSome(guildId, wishes);
  if (found.length > mostSorted) return null;
  const matching = new Map(found.map((member) => [member._id.toHexString(), member]));
  const counts = { linked: 0, account_gone: 0, left: 0, unlinked: 0, joined: 0 };
  for (const member of matching.values()) {
    const isShown = narrowing.rank === undefined || member.state === 'linked';
    if (isShown && (gameUserId === undefined || member.gameUserId === gameUserId)) counts[statusOf(member)] += 1;
  }
  return counts;
}

async function countAll(guildId: string): Promise<Record<MemberStatus, number>> {
  const count = (state: Member['state'], present: boolean | typeof eitherWay) =>
    Members.count({ guildId, state, present }, { hint: memberIndexes.linkedAt });
  const [there, left, unlinked, joined, gone] = await Promise.all([
    count('linked', true),
    count('linked', false),
    count('unlinked', eitherWay),
    count('joined', eitherWay),
    countGoneAccounts(guildId),
  ]);
  return { linked: there - gone, account_gone: gone, left, unlinked, joined };
}

/** A value below all others. A query for missing values by `null` would make MongoDB sort its results. */
const lowest = { linkedAt: new Date(0), gameUsername: '' } as const;

const placeOf = (value: Date | string | undefined): string | null =>
  value instanceof Date ? value.toISOString() : (value ?? null);

/**
 * Selects members after a place in the order. Members without a value sort first, as in MongoDB. Avoids `$or`, so that
 * there is one plan: the index is read from the place on.
 */
function behind(
  field: 'linkedAt' | 'gameUsername',
  direction: 1 | -1,
  from: z.output<(typeof placeIn)['gameUsername']> | undefined,
): QueryFilter<Member> {
  if (from === undefined) return {};
  const value = field === 'linkedAt' && from.at !== null ? new Date(from.at) : from.at;
  const passed = trusted({ [direction === 1 ? '$lte' : '$gte']: new Types.ObjectId(from.id) });
  const $nor: QueryFilter<Member>[] = [{ [field]: value, _id: passed }];
  if (direction === 1) return { $nor, ...(value !== null && { [field]: trusted({ $gte: value }) }) };
  return { $nor, [field]: trusted({ $not: { $gt: value ?? lowest[field] } }) };
}
