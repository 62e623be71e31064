import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { blockReason } from '../../platforms/discord/role-hierarchy.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

/** What the log of a guild says last of whether the bot can hand out the roles that its mappings name. */
const mappedRoleStateFields = z.strictObject({
  guildId: z.string(),
  /** Without the permission none can be handed out: that is told once, and not of each role. */
  mayManageRoles: z.boolean(),
  /** The mapped roles that have an obstacle of their own. */
  obstacles: z.array(z.strictObject({ roleId: z.string(), obstacle: blockReason })),
});
export interface MappedRoleState extends z.output<typeof mappedRoleStateFields>, WithOutbox {}

const schema = schemaOf<MappedRoleState>('mapped_role_states', mappedRoleStateFields);
// The one of a guild.
schema.index({ guildId: 1 }, { unique: true });

giveOutbox(schema);

export const MappedRoleStates = new GuildModel<MappedRoleState>('MappedRoleState', schema);
