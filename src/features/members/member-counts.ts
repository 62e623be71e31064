import { eitherWay, type MemberNarrowing, narrowingsOf } from './member-filters.js';
import type { MemberQuery } from './member-list.js';
import { type Member, Members, memberIndexes } from './member-model.js';
import { countByScan, type Found } from './member-scan.js';
import { findByText, findIndexed, findSome, matching, mostFound } from './member-search.js';
import { countGoneAccounts } from './member-service.js';
import { type MemberStatus, statusOf } from './member-view.js';

type Counts = Record<MemberStatus, number>;

const none: Readonly<Counts> = { linked: 0, account_gone: 0, left: 0, unlinked: 0, joined: 0 };

/**
 * How many guild members have each status, among those that match the filters if given; null where more than 1,000
 * match, unless no index finds them. Throws RateLimited.
 */
export async function countMembers(
  guildId: string,
  query: Pick<MemberQuery, 'q' | 'gameUserId'> & MemberNarrowing,
): Promise<Counts | null> {
  const narrowings = narrowingsOf(query);
  if (query.q === undefined && query.gameUserId === undefined && narrowings.length === 0) return countAll(guildId);
  const found = await findFor(guildId, query);
  const counts = { ...none };
  if (found === null) {
    const counted = await countByScan(guildId, { $and: narrowings.map(({ filter }) => filter) });
    for (const { members, ...some } of counted) counts[statusOf(some)] += members;
    return counts;
  }
  if (found.length > mostFound) return null;
  const matches = new Map(found.map((member) => [member._id.toHexString(), member]));
  for (const member of matches.values()) {
    if (query.rank === undefined || member.state === 'linked') counts[statusOf(member)] += 1;
  }
  return counts;
}

/** Null: no index finds the matches. */
async function findFor(
  guildId: string,
  { q, gameUserId, ...narrowing }: Pick<MemberQuery, 'q' | 'gameUserId'> & MemberNarrowing,
): Promise<Found[] | null> {
  const narrowings = narrowingsOf(narrowing);
  const wanted = narrowings.map(({ filter }) => filter);
  if (gameUserId !== undefined) {
    const matches = q === undefined ? [] : [matching(q)];
    return findSome(guildId, {
      filter: { $and: [{ gameUserId }, ...wanted, ...matches] },
      hint: memberIndexes.gameUserId,
    });
  }
  return q === undefined ? findIndexed(guildId, narrowings) : findByText(guildId, q, wanted);
}

async function countAll(guildId: string): Promise<Counts> {
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
