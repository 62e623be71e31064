import { createHash } from 'node:crypto';
import { trusted } from 'mongoose';
import { type Guild, GuildRecord } from '../../core/guilds/guild-model.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';

export type MappedRoleState = NonNullable<Guild['mappedRoles']>;

/** A key from everything that decides the bot's rights over a guild's roles. It changes with them. Pure. */
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
  await GuildRecord.updateOne({ _id: guildId }, { $set: { 'mappedRoles.rolesKey': rolesKey } });
}

/** The key for a guild's roles in a batch, and the key that it replaces. */
export interface ComparedRoles {
  guildId: string;
  rolesKey: string;
  before: string | undefined;
}

/** Stores many guilds' keys in one write, except where another comparison has stored one in the meantime. */
export async function noteRolesKeys(comparisons: readonly ComparedRoles[]): Promise<void> {
  if (comparisons.length === 0) return;
  const writes = comparisons.map(({ guildId: _id, rolesKey, before }) => ({
    updateOne: {
      filter: { _id, 'mappedRoles.rolesKey': before ?? { $exists: false } },
      update: { $set: { 'mappedRoles.rolesKey': rolesKey } },
    },
  }));
  await GuildRecord.collection.bulkWrite(writes as never, { ordered: false });
}

export async function rolesKeys(guildIds: readonly string[]): Promise<Map<string, string | undefined>> {
  const found = await statesOf(guildIds, { 'mappedRoles.rolesKey': 1 });
  return new Map(found.map(({ _id, mappedRoles }) => [_id, mappedRoles?.rolesKey]));
}

export async function findRoleStates(guildIds: readonly string[]): Promise<Map<string, MappedRoleState>> {
  const found = await statesOf(guildIds, { mappedRoles: 1 });
  return new Map(found.flatMap(({ _id, mappedRoles }) => (mappedRoles === undefined ? [] : [[_id, mappedRoles]])));
}

function statesOf(
  guildIds: readonly string[],
  projection: Record<string, 1>,
): Promise<Pick<Guild, '_id' | 'mappedRoles'>[]> {
  return readDirectly(GuildRecord, { _id: trusted({ $in: [...guildIds] }) }, { projection });
}
