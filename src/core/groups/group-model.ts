import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';
import { gameRole } from '../../platforms/roblox/game-groups.js';

/** A Roblox group that a guild has attached, with a copy of what Roblox said of it at `refreshedAt`. */
export const linkedGroupFields = z.strictObject({
  guildId: z.string(),
  groupId: z.string(),
  name: z.string(),
  memberCount: z.int(),
  /** By rank, ascending, including the role of rank 0 for people outside of the group. */
  roles: z.array(gameRole),
  /** Roblox says that the group no longer exists. */
  gone: z.boolean(),
  addedAt: z.date(),
  refreshedAt: z.date(),
});
export interface LinkedGroup extends z.output<typeof linkedGroupFields>, WithOutbox {}

const schema = schemaOf<LinkedGroup>('groups', linkedGroupFields);
// A group is attached to a guild once; the groups of a guild, by id: GET …/groups and every look at a mapping.
schema.index({ guildId: 1, groupId: 1 }, { unique: true });
// The ids of the groups of a guild by age, from the index alone: which of its mappings are in force, at every sync.
schema.index({ guildId: 1, addedAt: 1, groupId: 1 });

giveOutbox(schema);

export const LinkedGroups = new GuildModel<LinkedGroup>('LinkedGroup', schema);
