import { createHash } from 'node:crypto';
import { trusted } from 'mongoose';
import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { blockReason } from '../../platforms/discord/role-hierarchy.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

/** What the log of a guild says last of whether the bot can hand out the roles that its mappings name. */
const mappedRoleStateFields = z.strictObject({
  guildId: z.string(),
  /** Without the permission none can be handed out: that is told once, and not of each role. */
  mayManageRoles: z.boolean(),
  /** The mapped roles that have an obstacle of their own. */
  obstacles: z.array(z.strictObject({ roleId: z.string(), obstacle: blockReason })),
  /** How the roles of the guild were when the log and whoever waits for them were told last (`keyOfRoles`). */
  rolesKey: z.string().exactOptional(),
});
export interface MappedRoleState extends z.output<typeof mappedRoleStateFields>, WithOutbox {}

const schema = schemaOf<MappedRoleState>('mapped_role_states', mappedRoleStateFields);
// The one of a guild.
schema.index({ guildId: 1 }, { unique: true });

giveOutbox(schema);

export const MappedRoleStates = new GuildModel<MappedRoleState>('MappedRoleState', schema);

/** Stands for all that decides what the bot may do with the roles of a guild: another key, other roles. Pure. */
export function keyOfRoles({ roles, bot }: GuildFacts): string {
  const all = [...roles.values()].sort((a, b) => (a.roleId < b.roleId ? -1 : 1));
  const hash = createHash('sha256').update([...bot.roleIds].sort().join());
  for (const { roleId, position, managed, permissions } of all) {
    hash.update(`;${roleId} ${position} ${managed} ${permissions}`);
  }
  return hash.digest('base64url');
}

/** The log of a guild, and whoever waits for its roles, have been told how they are. */
export async function noteRolesKey(guildId: string, rolesKey: string): Promise<void> {
  const $setOnInsert = { mayManageRoles: true, obstacles: [] };
  await MappedRoleStates.upsert({ guildId }, { $set: { rolesKey }, $setOnInsert });
}

/** The keys that were noted last, by guild. */
export async function rolesKeys(guildIds: readonly string[]): Promise<Map<string, string | undefined>> {
  const states = await MappedRoleStates.acrossGuilds
    .find({ guildId: trusted({ $in: [...guildIds] }) }, { guildId: 1, rolesKey: 1 })
    .lean<MappedRoleState[]>();
  return new Map(states.map(({ guildId, rolesKey }) => [guildId, rolesKey]));
}
