import { type QueryFilter, trusted } from 'mongoose';
import { searchText } from '../../lib/search-text.js';
import type { Hint } from '../../platforms/database/guild-model.js';
import type { Narrowed } from './member-filters.js';
import { type Member, Members, memberIndexes } from './member-model.js';
import { type Found, foundFields, scanMembers } from './member-scan.js';

/** A filter for members, and the index to read. */
export interface Search {
  filter: QueryFilter<Member>;
  hint: Hint;
}

/** Above this many matches a page is searched in its order; below it, all matches are sorted. */
export const mostFound = 1_000;

interface Wish {
  q?: string | undefined;
  gameUserId?: string | undefined;
  narrowings: readonly Narrowed[];
  /** All that a match must fulfil besides. */
  wanted: readonly QueryFilter<Member>[];
}

/** A page's search; `inOrder` is the index with its order. */
export async function searchFor(
  guildId: string,
  { q, gameUserId, narrowings, wanted }: Wish,
  inOrder: Hint,
): Promise<Search> {
  const matches = q === undefined ? {} : matching(q);
  if (gameUserId !== undefined) return { filter: { gameUserId, ...matches }, hint: memberIndexes.gameUserId };
  const found = q === undefined ? await findIndexed(guildId, narrowings) : await findByText(guildId, q, wanted);
  if (found === null || found.length > mostFound) return { filter: matches, hint: inOrder };
  return { filter: { _id: trusted({ $in: found.map(({ _id }) => _id) }) }, hint: '_id_' };
}

/** Members with `q` in a name, in any case, or as their Discord or Roblox id. */
export const matching = (q: string): QueryFilter<Member> => ({ $or: [byName(q), ...idsOf(q)] });

/** Stored names have the composition that Discord or Roblox gave them. */
function byName(q: string): QueryFilter<Member> {
  const text = searchText(q);
  const forms = [...new Set([text, text.normalize('NFD')])];
  const patterns = forms.map((form) => form.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replaceAll('σ', '[σς]'));
  return { names: trusted({ $regex: patterns.join('|') }) };
}

const idsOf = (q: string): QueryFilter<Member>[] => (/^\d+$/.test(q) ? [{ chatUserId: q }, { gameUserId: q }] : []);

/**
 * Members that match `q` and everything `wanted`, and one more than `mostFound` to show that there are others. A member
 * may come twice. Throws RateLimited.
 */
export async function findByText(guildId: string, q: string, wanted: readonly QueryFilter<Member>[]): Promise<Found[]> {
  const and = (filter: QueryFilter<Member>): QueryFilter<Member> => ({ $and: [...wanted, filter] });
  const [byChatId, byGameId] = idsOf(q);
  const found = await Promise.all([
    scanMembers(guildId, and(byName(q)), mostFound + 1),
    ...(byChatId === undefined ? [] : [findSome(guildId, { filter: and(byChatId), hint: memberIndexes.chatUserId })]),
    ...(byGameId === undefined ? [] : [findSome(guildId, { filter: and(byGameId), hint: memberIndexes.gameUserId })]),
  ]);
  return found.flat();
}

/** Members that match all filters, found by the first one that has an index; null: none has. */
export async function findIndexed(guildId: string, narrowings: readonly Narrowed[]): Promise<Found[] | null> {
  const hint = narrowings.find((narrowed) => narrowed.hint !== null)?.hint ?? null;
  if (hint === null) return null;
  return findSome(guildId, { filter: { $and: narrowings.map(({ filter }) => filter) }, hint });
}

/** Up to a thousand matches, and one more to show that there are others. */
export function findSome(guildId: string, { filter, hint }: Search): Promise<Found[]> {
  return Members.acrossGuilds
    .find({ guildId, ...filter }, foundFields, { hint })
    .limit(mostFound + 1)
    .lean<Found[]>()
    .exec();
}
