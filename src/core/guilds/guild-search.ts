import { type QueryFilter, trusted } from 'mongoose';
import { config } from '../../config.js';
import type { PlanName } from '../plans/plans.js';
import { type Guild, GuildRecord, withPlan } from './guild-model.js';

/** How guilds are searched. `q` is the start of the name, in any case, or of the id. */
export interface GuildSearch {
  q?: string | undefined;
  plan?: PlanName | undefined;
  state?: Guild['state'] | undefined;
  present?: boolean | undefined;
}

/** All guilds that the bot is or was in and that match, after the id `after`, at most `limit`; by id. */
export function searchGuilds({ q, plan, ...exactly }: GuildSearch, after: string, limit: number): Promise<Guild[]> {
  const filter: QueryFilter<Guild> = {
    ...Object.fromEntries(Object.entries(exactly).filter(([, value]) => value !== undefined)),
    ...(plan !== undefined && { plan: plan === config().defaultPlan ? trusted({ $in: [null, plan] }) : plan }),
    _id: trusted({ $gt: after }),
    ...(q !== undefined && { $or: [beginning('searchName', q.toLowerCase()), beginning('_id', q)] }),
  };
  return GuildRecord.find(filter).sort({ _id: 1 }).limit(limit).hint(indexFor(exactly)).lean<Guild[]>().exec();
}

/** Few guilds are suspended, and fewer have a plan that is paid; the order of the ids finds all others soon. */
function indexFor({ plan, state }: GuildSearch): Record<string, 1> {
  if (state === 'suspended') return { state: 1, _id: 1 };
  return plan === undefined ? { _id: 1 } : { plan: 1, _id: 1 };
}

const beginning = (field: '_id' | 'searchName', start: string): QueryFilter<Guild> => ({
  [field]: trusted({ $regex: `^${start.replace(/[.*+?^${}()|[\]\\]/g, '\\$&')}` }),
});

/** How many guilds there are, by presence of the bot, state and plan. Read from an index alone. */
export async function countGuilds(): Promise<(Pick<Guild, 'present' | 'state' | 'plan'> & { count: number })[]> {
  const counted = await GuildRecord.aggregate<Pick<Guild, 'present' | 'state'> & { plan?: PlanName; count: number }>([
    { $sort: { present: 1, state: 1, plan: 1 } },
    { $group: { _id: { present: '$present', state: '$state', plan: '$plan' }, count: { $sum: 1 } } },
    { $replaceWith: { $mergeObjects: ['$_id', { count: '$count' }] } },
  ]).exec();
  return counted.map(withPlan);
}
