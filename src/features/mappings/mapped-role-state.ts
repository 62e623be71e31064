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

/** The key of a guild's roles that a batch has looked at, and the one that it replaces. */
export interface LookedAtRoles {
  guildId: string;
  rolesKey: string;
  before: string | undefined;
}

/** Notes the keys of many guilds in one write, except where another look has noted one in the meantime. */
export async function noteRolesKeys(looks: readonly LookedAtRoles[]): Promise<void> {
  const writes = looks.map(({ guildId, rolesKey, before }) => ({
    updateOne: {
      filter: { guildId, rolesKey: before ?? { $exists: false } },
      update: { $set: { rolesKey }, $setOnInsert: { mayManageRoles: true, obstacles: [] } },
      // A missing key is not a missing state: if another look has noted one, the index refuses a second document.
      upsert: before === undefined,
    },
  }));
  try {
    await MappedRoleStates.acrossGuilds.collection.bulkWrite(writes, { ordered: false });
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
}

/** The keys that were noted last, by guild. */
export async function rolesKeys(guildIds: readonly string[]): Promise<Map<string, string | undefined>> {
  const guildId = trusted({ $in: [...guildIds] });
  const projection = { _id: 0, guildId: 1, rolesKey: 1 } as const;
  const states = await readDirectly(MappedRoleStates.acrossGuilds, { guildId }, { projection });
  return new Map(states.map((state) => [state.guildId, state.rolesKey]));
}

/** The stored states of these guilds, by guild. */
export async function findRoleStates(guildIds: readonly string[]): Promise<Map<string, MappedRoleState>> {
  const states = await readDirectly(MappedRoleStates.acrossGuilds, { guildId: trusted({ $in: [...guildIds] }) });
  return new Map(states.map((state) => [state.guildId, state]));
}
