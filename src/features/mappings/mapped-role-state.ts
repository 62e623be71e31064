import { createHash } from 'node:crypto';
import { trusted } from 'mongoose';
import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { blockReason } from '../../platforms/discord/role-hierarchy.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

/** The last logged state of the bot's rights over the roles that a guild's mappings name. */
const mappedRoleStateFields = z.strictObject({
  guildId: z.string(),
  /** Whether the bot may manage roles. If not, that is logged once instead of once per role. */
  mayManageRoles: z.boolean(),
  /** The mapped roles with an obstacle of their own. */
  obstacles: z.array(z.strictObject({ roleId: z.string(), obstacle: blockReason })),
  /** The key of the roles (`keyOfRoles`) at the last log entry and the last release of waiting syncs. */
  rolesKey: z.string().exactOptional(),
});
export interface MappedRoleState extends z.output<typeof mappedRoleStateFields>, WithOutbox {}

const schema = schemaOf<MappedRoleState>('mapped_role_states', mappedRoleStateFields);
// Reads the state of one guild.
schema.index({ guildId: 1 }, { unique: true });

giveOutbox(schema);

export const MappedRoleStates = new GuildModel<MappedRoleState>('MappedRoleState', schema);

/** A key of everything that decides the bot's rights over a guild's roles. It changes with them. Pure. */
export function keyOfRoles({ roles, bot }: GuildFacts): string {
  const all = [...roles.values()].sort((a, b) => (a.roleId < b.roleId ? -1 : 1));
  const hash = createHash('sha256').update([...bot.roleIds].sort().join());
  for (const { roleId, position, managed, permissions } of all) {
    hash.update(`;${roleId} ${position} ${managed} ${permissions}`);
  }
  return hash.digest('base64url');
}

/** Stores the key after the log and the waiting syncs have been updated. */
export async function noteRolesKey(guildId: string, rolesKey: string): Promise<void> {
  const $setOnInsert = { mayManageRoles: true, obstacles: [] };
  await MappedRoleStates.upsert({ guildId }, { $set: { rolesKey }, $setOnInsert });
}

/** The stored keys, by guild. */
export async function rolesKeys(guildIds: readonly string[]): Promise<Map<string, string | undefined>> {
  const states = await MappedRoleStates.acrossGuilds
    .find({ guildId: trusted({ $in: [...guildIds] }) }, { guildId: 1, rolesKey: 1 })
    .lean<MappedRoleState[]>();
  return new Map(states.map(({ guildId, rolesKey }) => [guildId, rolesKey]));
}
