import { type QueryFilter, Types, trusted } from 'mongoose';
import { z } from 'zod';
import { decodeCursor, type Page, pageOf } from '../../lib/cursor.js';
import type { InGuild } from '../../platforms/database/guild-model.js';
import { type Member, Members } from './member-model.js';
import type { MemberStatus } from './member-view.js';

/** Filters and order of GET …/members. `q` is the start of a name, or a member's id. */
export interface MemberQuery {
  q?: string | undefined;
  gameUserId?: string | undefined;
  status: MemberStatus;
  sort: MemberSort;
  limit: number;
  cursor?: string | undefined;
}

export const memberSorts = ['-linkedAt', 'linkedAt', 'gameUsername', '-gameUsername'] as const;
type MemberSort = (typeof memberSorts)[number];

/** Where a page ended: the value it is ordered by, and the document's id. */
const placeIn = {
  linkedAt: z.strictObject({ at: z.iso.datetime().nullable(), id: z.hex().length(24) }),
  gameUsername: z.strictObject({ at: z.string().nullable(), id: z.hex().length(24) }),
};

const filterOfStatus: Record<MemberStatus, QueryFilter<Member>> = {
  linked: { state: 'linked', present: true },
  left: { state: 'linked', present: false },
  unlinked: { state: 'unlinked' },
  joined: { state: 'joined' },
};

/** A page of the members of a guild that have this status. */
export async function listMembers(guildId: string, query: MemberQuery): Promise<Page<Member>> {
  const { sort, limit, status, gameUserId, q } = query;
  const field = sort.endsWith('linkedAt') ? 'linkedAt' : 'gameUsername';
  const direction = sort.startsWith('-') ? -1 : 1;
  const wanted: QueryFilter<Member>[] = [
    filterOfStatus[status],
    ...(gameUserId === undefined ? [] : [{ gameUserId }]),
    ...(q === undefined ? [] : [matching(q)]),
    behind(field, direction, decodeCursor(placeIn[field], query.cursor)),
  ];
  const filter: InGuild<Member> = { guildId, $and: wanted };
  const found = await Members.find(filter, { sort: { [field]: direction, _id: direction }, limit: limit + 1 });
  return pageOf(found, limit, (member) => ({ at: placeOf(member[field]), id: member._id.toHexString() }));
}

function matching(q: string): QueryFilter<Member> {
  const start = q.toLowerCase().replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
  return { $or: [{ names: trusted({ $regex: `^${start}` }) }, { chatUserId: q }, { gameUserId: q }] };
}

const placeOf = (value: Date | string | undefined): string | null =>
  value instanceof Date ? value.toISOString() : (value ?? null);

/** What comes behind a place in the order. Members without a value sort before all others, as MongoDB has it. */
function behind(
  field: 'linkedAt' | 'gameUsername',
  direction: 1 | -1,
  from: z.output<(typeof placeIn)['gameUsername']> | undefined,
): QueryFilter<Member> {
  if (from === undefined) return {};
  const beyond = direction === 1 ? '$gt' : '$lt';
  const value = field === 'linkedAt' && from.at !== null ? new Date(from.at) : from.at;
  const sameValue = { [field]: value, _id: trusted({ [beyond]: new Types.ObjectId(from.id) }) };
  const further: QueryFilter<Member>[] =
    value === null
      ? direction === 1
        ? [{ [field]: trusted({ $ne: null }) }]
        : []
      : [{ [field]: trusted({ [beyond]: value }) }, ...(direction === -1 ? [{ [field]: null }] : [])];
  return { $or: [...further, sameValue] };
}
