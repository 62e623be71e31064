import { Schema } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';
import type { RoleObstacle } from '../../platforms/discord/role-hierarchy.js';

/** What the log of a guild says last of whether the bot can hand out the roles that its mappings name. */
export interface MappedRoleState {
  guildId: string;
  /** Without the permission none can be handed out: that is told once, and not of each role. */
  mayManageRoles: boolean;
  /** The mapped roles that have an obstacle of their own. */
  obstacles: { roleId: string; obstacle: RoleObstacle }[];
}

const schema = new Schema<MappedRoleState>(
  {
    guildId: { type: String, required: true },
    mayManageRoles: { type: Boolean, required: true },
    obstacles: [{ roleId: String, obstacle: String, _id: false }],
  },
  { collection: 'mapped_role_states', versionKey: false },
);
// The one of a guild.
schema.index({ guildId: 1 }, { unique: true });

export const MappedRoleStates = new GuildModel<MappedRoleState>('MappedRoleState', schema);
