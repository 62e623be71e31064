import { type QueryFilter, trusted } from 'mongoose';
import { config } from '../../config/config.js';
import type { PlanName } from '../plans/plans.js';
import { type Guild, GuildRecord, withPlan } from './guild-model.js';

/** A guild search. `q` starts the name, in any case, or the id. */
export interface GuildSearch {
  q?: string | undefined;
  plan?: PlanName | undefined;
  state?: Guild['state'] | undefined;
  present?: boolean | undefined;
}

/** With more matches than this, the search walks the page order; with fewer, it reads all matches. */
const mostSearched = 1_000;

/** The matching guilds that the bot is or was in, after the id `after`; ordered by id, at most `limit`. */
export async function searchGuilds(search: GuildSearch, after: string, limit: number): Promise<Guild[]> {
  const { q, plan, ...exactly } = search;
  const { filter: matches, hint } = q === undefined ? inOrder(search) : await searchFor(q, search);
  const filter: QueryFilter<Guild> = {
    ...Object.fromEntries(Object.entries(exactly).filter(([, value]) => value !== undefined)),
    ...(plan !== undefined && { plan: plan === config().defaultPlan ? trusted({ $in: [null, plan] }) : plan }),
    $and: [{ _id: trusted({ $gt: after }) }, matches],
  };
  return GuildRecord.find(filter).sort({ _id: 1 }).limit(limit).hint(hint).lean<Guild[]>().exec();
}

interface Found {
  filter: QueryFilter<Guild>;
  hint: Record<string, 1>;
}

/** Suspended guilds and paid plans are rare and have indexes; all other guilds are found quickly in id order. */
function inOrder({ plan, state }: GuildSearch, filter: QueryFilter<Guild> = {}): Found {
  if (state === 'suspended') return { filter, hint: { state: 1, _id: 1 } };
  return { filter, hint: plan === undefined ? { _id: 1 } : { plan: 1, _id: 1 } };
}

/** Guilds with a name, in any case, or an id that begins with `q`. */
async function searchFor(q: string, search: GuildSearch): Promise<Found> {
  const wishes: Found[] = [
    { filter: beginning('searchName', q.toLowerCase()), hint: { searchName: 1, _id: 1 } },
    { filter: beginning('_id', q), hint: { _id: 1 } },
  ];
  const ids = (await Promise.all(wishes.map(someIds))).flat();
  if (ids.length <= mostSearched) return { filter: { _id: trusted({ $in: ids }) }, hint: { _id: 1 } };
  return inOrder(search, { $or: wishes.map(({ filter }) => filter) });
}

async function someIds({ filter, hint }: Found): Promise<string[]> {
  const found = GuildRecord.find(filter, { _id: 1 })
    .hint(hint)
    .limit(mostSearched + 1);
  return (await found.lean<Pick<Guild, '_id'>[]>()).map(({ _id }) => _id);
}

const beginning = (field: '_id' | 'searchName', start: string): QueryFilter<Guild> => ({
  [field]: trusted({ $regex: `^${start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}` }),
});

export async function countGuilds(): Promise<(Pick<Guild, 'present' | 'state' | 'plan'> & { count: number })[]> {
  const counted = await GuildRecord.aggregate<Pick<Guild, 'present' | 'state'> & { plan?: PlanName; count: number }>([
    { $sort: { present: 1, state: 1, plan: 1 } },
    { $group: { _id: { present: '$present', state: '$state', plan: '$plan' }, count: { $sum: 1 } } },
    { $replaceWith: { $mergeObjects: ['$_id', { count: '$count' }] } },
  ]).exec();
  return counted.map(withPlan);
}
