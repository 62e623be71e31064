import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { gameRole } from '../../platforms/roblox/game-groups.js';
import { rankingRules } from './ranking-rules.js';

/** A Roblox group attached to a guild, with a copy of its Roblox data from `refreshedAt`. */
export const linkedGroupFields = z.strictObject({
  guildId: z.string(),
  groupId: z.string(),
  name: z.string(),
  memberCount: z.int(),
  /** Ordered by rank, lowest first, including rank 0 for people outside the group. */
  roles: z.array(gameRole),
  /** Roblox reports that the group no longer exists. */
  gone: z.boolean(),
  addedAt: z.date(),
  refreshedAt: z.date(),
  /** The guild's rules for ranking here; absent: the usual ones (`defaultRankingRules`). */
  ranking: rankingRules.exactOptional(),
});
export interface LinkedGroup extends z.output<typeof linkedGroupFields>, WithOutbox {}

const schema = schemaOf<LinkedGroup>('groups', linkedGroupFields);
// A group is attached to a guild once. Lists a guild's groups by id, for GET …/groups and each mapping check.
schema.index({ guildId: 1, groupId: 1 }, { unique: true });
// A guild's group ids by age, from the index alone: each sync reads them to find the mappings in force.
schema.index({ guildId: 1, addedAt: 1, groupId: 1 });

giveOutbox(schema);

export const LinkedGroups = new GuildModel<LinkedGroup>('LinkedGroup', schema);
