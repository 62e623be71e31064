import type { Actor } from '../../core/actors/actor.js';
import { addGroup, findGroups, type LinkedGroup } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { Conflict } from '../../lib/errors.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { parseGameGroupReference } from '../../platforms/roblox/game-groups.js';
import type { MappingDraft } from '../mappings/mapping-draft.js';
import { judgeReach, mapperOf, throwFirst } from '../mappings/mapping-rules.js';
import { listAllMappings } from '../mappings/mapping-service.js';
import { type RankRole, ranksOf } from '../mappings/whole-group.js';
import { type Setup, Setups } from './setup-model.js';

export type { Setup, SetupStep } from './setup-model.js';

/** The setup that is under way in a guild, or null. */
export const findSetup = (guildId: string): Promise<Setup | null> => Setups.findOne({ guildId });

/**
 * The guild's current setup, or a new one based on its group, verified role and settings. `channelId`: the default
 * channel for a new panel. Throws ChatPlatformUnavailable.
 */
export async function openSetup({ _id: guildId }: Guild, channelId: string | null): Promise<Setup> {
  const known = await findSetup(guildId);
  if (known !== null) return known;
  const [groups, mappings, settings, facts] = await Promise.all([
    findGroups(guildId),
    listAllMappings(guildId),
    readSettings(guildId),
    readGuildFacts(guildId),
  ]);
  const mapped = mappings.find(({ condition }) => condition.type === 'verified')?.roleIds[0];
  const $setOnInsert: Omit<Setup, 'guildId'> = {
    step: 'place',
    groupId: groups[0]?.groupId ?? null,
    verifiedRoleId: mapped ?? roleNamed(facts, 'verified'),
    nickname: settings.nickname,
    methods: settings.verification.methods,
    channelId,
    panel: {},
  };
  return Setups.upsert({ guildId }, { $setOnInsert });
}

/** The one role that is called so, in upper or lower case; null when there is none or several. */
function roleNamed({ roles }: GuildFacts, name: string): string | null {
  const [role, another] = [...roles.values()].filter((each) => each.name.trim().toLowerCase() === name);
  return another === undefined ? (role?.roleId ?? null) : null;
}

/** Stores a choice. Throws Conflict `busy` if the setup has been applied. */
export async function changeSetup(guildId: string, change: Partial<Omit<Setup, 'guildId'>>): Promise<Setup> {
  const setup = await Setups.update({ guildId }, { $set: change });
  if (setup === null) throw new Conflict('busy', 'This setup was just finished. Use /setup to begin another.');
  return setup;
}

/**
 * Chooses the group of a setup, given its id or the address of its page, and attaches it unless it is attached. Throws
 * as `addGroup` does.
 */
export async function chooseGroup(guild: Guild, actor: Actor, reference: string): Promise<Setup> {
  const groupId = parseGameGroupReference(reference) ?? reference;
  try {
    await addGroup(guild, actor, groupId);
  } catch (error) {
    if (!(error instanceof Conflict && error.code === 'group_exists')) throw error;
  }
  return changeSetup(guild._id, { groupId, step: 'ranks' });
}

/**
 * Chooses the verified role, or none. The role must be within the actor's reach (DISC-25). Throws Forbidden,
 * ChatPlatformUnavailable, and as `changeSetup` does.
 */
export async function chooseVerifiedRole(guild: Guild, actor: Actor, roleId: string | null): Promise<Setup> {
  const facts = await readGuildFacts(guild._id);
  const mapper = await mapperOf(actor, facts);
  const roleIds = roleId === null ? [] : [roleId];
  throwFirst(judgeReach(facts, mapper, roleIds), facts);
  return changeSetup(guild._id, { verifiedRoleId: roleId });
}

/** The group of a setup, with its ranks and the role of the same name for each, lowest first. */
export interface GroupBeside {
  group: LinkedGroup;
  ranks: RankRole[];
}

/** Null if the setup has no group, or the group was removed. */
export async function ranksBeside({ guildId, groupId }: Setup, facts: GuildFacts): Promise<GroupBeside | null> {
  const groups = await findGroups(guildId);
  const group = groups.find((each) => each.groupId === groupId);
  if (group === undefined) return null;
  return { group, ranks: ranksOf(wholeGroup(group.groupId), { facts, groups }) };
}

/** The mapping of all ranks of a group to the roles of their names. */
export const wholeGroup = (groupId: string): MappingDraft => rule({ type: 'group_roles', groupId, match: 'name' }, []);

/** The mapping that a setup makes of a condition. */
export const rule = (condition: MappingDraft['condition'], roleIds: string[]): MappingDraft => ({
  name: null,
  condition,
  roleIds,
  nickname: null,
  removeWhenUnmatched: true,
  enabled: true,
});

/** Ends the setup of a guild: /setup begins a new one. */
export async function endSetup(guildId: string): Promise<void> {
  await Setups.acrossGuilds.deleteOne({ guildId });
}
