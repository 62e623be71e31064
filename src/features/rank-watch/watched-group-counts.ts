import { trusted } from 'mongoose';
import { groupsNamedBy, readSettings } from '../../core/settings/settings-service.js';
import { groupIdsNamed } from '../mappings/mapping-draft.js';
import { listAllMappings } from '../mappings/mapping-service.js';
import { type WatchedGroup, WatchedGroups } from './watched-models.js';

/** How many groups are watched by their own log, by their role counts, and by their people. */
export type WatchedGroupCounts = Record<'log' | 'counts' | 'people', number>;

export const countWatchedGroups = (): Promise<WatchedGroupCounts> => countAmong({});

/** The counts for the groups that an enabled mapping, a nickname or a restriction in a guild names. */
export async function countGroupsOf(guildId: string): Promise<WatchedGroupCounts> {
  const [mappings, settings] = await Promise.all([listAllMappings(guildId), readSettings(guildId)]);
  const named = mappings.filter(({ enabled }) => enabled).flatMap(groupIdsNamed);
  return countAmong({ _id: trusted({ $in: [...new Set([...named, ...groupsNamedBy(settings)])] }) });
}

async function countAmong(filter: object): Promise<WatchedGroupCounts> {
  const groups = await WatchedGroups.find(filter, { counted: 1, logUpTo: 1, seenAt: 1 }).lean<WatchedGroup[]>();
  // A log that was readable once may not be polled now: if people are read instead, nothing is seen about the group.
  const others = groups.filter(({ logUpTo, seenAt }) => logUpTo === undefined || seenAt === undefined);
  const counts = others.filter(({ counted }) => counted).length;
  return { log: groups.length - others.length, counts, people: others.length - counts };
}
