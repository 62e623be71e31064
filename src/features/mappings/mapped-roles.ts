import { trusted } from 'mongoose';
import { findGroups, findGroupsOf } from '../../core/groups/linked-groups.js';
import { byGuild } from '../../lib/by-guild.js';
import { readDirectly } from '../../platforms/database/direct-reads.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { type Mapping, Mappings, oldestFirst } from './mapping-model.js';
import { expanded, mapsWholeGroup, type RoleNames } from './whole-group.js';

/** The Discord roles that a guild's mappings give, enabled or not, by id, each with those mappings. */
export type MappedRoles = ReadonlyMap<string, Mapping[]>;

export interface MappedGuild {
  facts: GuildFacts;
  mapped: MappedRoles;
}

export async function readMappedRoles(facts: GuildFacts): Promise<MappedRoles> {
  const { guildId } = facts;
  const mappings = await Mappings.find({ guildId }, { sort: oldestFirst });
  const groups = mapsWholeGroup(mappings) ? await findGroups(guildId) : [];
  return mappedBy(mappings, { facts, groups });
}

/** The same for many guilds, by one command for mappings and at most one for groups. */
export async function readMappedGuilds(guilds: readonly GuildFacts[]): Promise<MappedGuild[]> {
  const guildId = trusted({ $in: guilds.map((facts) => facts.guildId) });
  const mappings = byGuild(
    await readDirectly(Mappings.acrossGuilds, { guildId }, { sort: oldestFirst, hint: oldestFirst }),
  );
  const whole = [...mappings].filter(([, some]) => mapsWholeGroup(some)).map(([id]) => id);
  const groups = byGuild(whole.length > 0 ? await findGroupsOf(whole) : []);
  return guilds.map((facts) => {
    const names = { facts, groups: groups.get(facts.guildId) ?? [] };
    return { facts, mapped: mappedBy(mappings.get(facts.guildId) ?? [], names) };
  });
}

/** Pure. */
function mappedBy(mappings: readonly Mapping[], names: RoleNames): MappedRoles {
  const mapped = new Map<string, Mapping[]>();
  for (const mapping of expanded(mappings, names)) {
    for (const roleId of mapping.roleIds) {
      const others = mapped.get(roleId)?.filter(({ _id }) => _id !== mapping._id) ?? [];
      mapped.set(roleId, [...others, mapping]);
    }
  }
  return mapped;
}
