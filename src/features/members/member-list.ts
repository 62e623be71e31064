import { type QueryFilter, Types, trusted } from 'mongoose';
import { z } from 'zod';
import { decodeCursor, type Page, pageOf } from '../../lib/cursor.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import type { InGuild } from '../../platforms/database/guild-model.js';
import { eitherWay, type MemberNarrowing, narrowingsOf } from './member-filters.js';
import { type Member, Members, memberIndexes } from './member-model.js';
import { searchFor } from './member-search.js';
import type { MemberStatus } from './member-view.js';

/** Filters and order for GET …/members. `q` is part of a name, or an id. */
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

const filterOfStatus: Record<MemberStatus, QueryFilter<Member>> = {
  linked: { state: 'linked', present: true, goneSince: trusted({ $exists: false }) },
  account_gone: { state: 'linked', present: true, goneSince: trusted({ $exists: true }) },
  left: { state: 'linked', present: false },
  unlinked: { state: 'unlinked', present: eitherWay },
  joined: { state: 'joined', present: eitherWay },
};

export async function listMembers(guildId: string, query: MemberQuery): Promise<Page<Member>> {
  const { sort, limit, status, gameUserId, q } = query;
  const field = sort.endsWith('linkedAt') ? 'linkedAt' : 'gameUsername';
  const direction = sort.startsWith('-') ? -1 : 1;
  // Nobody's rank is shown once their link has ended (ID-33).
  if (query.rank !== undefined && (status === 'unlinked' || status === 'joined')) return { data: [], nextCursor: null };
  const narrowings = narrowingsOf(query);
  const wanted = [filterOfStatus[status], ...narrowings.map(({ filter }) => filter)];
  const place = behind(field, direction, decodeCursor(placeIn[field], query.cursor));
  const { filter: matches, hint } = await searchFor(
    guildId,
    { q, gameUserId, narrowings, wanted },
    memberIndexes[field],
  );
  const filter: InGuild<Member> = { guildId, $and: [...wanted, matches, place] };
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
  const found = await Members.find(filter, { hint: memberIndexes[field], without: ['facts'] });
  const byId = new Map(found.map((member) => [member[field], member]));
  return ids.map((id) => ({ id, member: byId.get(id) ?? null }));
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
