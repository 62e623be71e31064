import { Schema } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';
import type { GameRole } from '../../platforms/roblox/game-groups.js';

/** A Roblox group that a guild has attached, with a copy of what Roblox said about it at `refreshedAt`. */
export interface LinkedGroup {
  guildId: string;
  groupId: string;
  name: string;
  memberCount: number;
  /** By rank, ascending, including the role of rank 0 for people outside of the group. */
  roles: GameRole[];
  /** Roblox says that the group no longer exists. */
  gone: boolean;
  addedAt: Date;
  refreshedAt: Date;
}

const schema = new Schema<LinkedGroup>(
  {
    guildId: { type: String, required: true },
    groupId: { type: String, required: true },
    name: { type: String, required: true },
    memberCount: { type: Number, required: true },
    roles: { type: [{ gameRoleId: String, name: String, rank: Number, _id: false }], required: true },
    gone: { type: Boolean, required: true },
    addedAt: { type: Date, required: true },
    refreshedAt: { type: Date, required: true },
  },
  { collection: 'groups', versionKey: false },
);
// A group is attached to a guild once; the groups of a guild, by id: GET …/groups and every look at a mapping.
schema.index({ guildId: 1, groupId: 1 }, { unique: true });
// The ids of the groups of a guild by age, from the index alone: which of its mappings are in force, at every sync.
schema.index({ guildId: 1, addedAt: 1, groupId: 1 });

export const LinkedGroups = new GuildModel<LinkedGroup>('LinkedGroup', schema);
