import { createHash } from 'node:crypto';
import { trusted } from 'mongoose';
import { z } from 'zod';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
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

/** The key of a guild's roles in a batch, and the key that it replaces. */
export interface ComparedRoles {
  guildId: string;
  rolesKey: string;
  before: string | undefined;
}

/** Stores the keys of many guilds in one write, except where another comparison has stored one in the meantime. */
export async function noteRolesKeys(comparisons: readonly ComparedRoles[]): Promise<void> {
  const writes = comparisons.map(({ guildId, rolesKey, before }) => ({
    updateOne: {
      filter: { guildId, rolesKey: before ?? { $exists: false } },
      update: { $set: { rolesKey }, $setOnInsert: { mayManageRoles: true, obstacles: [] } },
      // A missing key is not a missing state: if another comparison has stored one, the index refuses a second
      // document.
      upsert: before === undefined,
    },
  }));
  try {
    await MappedRoleStates.acrossGuilds.collection.bulkWrite(writes, { ordered: false });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

export async function rolesKeys(guildIds: readonly string[]): Promise<Map<string, string | undefined>> {
  const guildId = trusted({ $in: [...guildIds] });
  const projection = { _id: 0, guildId: 1, rolesKey: 1 } as const;
  const states = await readDirectly(MappedRoleStates.acrossGuilds, { guildId }, { projection });
  return new Map(states.map((state) => [state.guildId, state.rolesKey]));
}

export async function findRoleStates(guildIds: readonly string[]): Promise<Map<string, MappedRoleState>> {
  const states = await readDirectly(MappedRoleStates.acrossGuilds, { guildId: trusted({ $in: [...guildIds] }) });
  return new Map(states.map((state) => [state.guildId, state]));
}
