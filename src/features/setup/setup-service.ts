import type { Actor } from '../../core/actors/actor.js';
import { authorOf } from '../../core/actors/reach.js';
import { addGroup, findGroups, type LinkedGroup } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { Conflict, InvalidRequest } from '../../lib/errors.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { parseGameGroupReference } from '../../platforms/roblox/game-groups.js';
import type { MappingDraft } from '../mappings/mapping-draft.js';
import { judgeReach, throwFirst } from '../mappings/mapping-rules.js';
import { listAllMappings } from '../mappings/mapping-service.js';
import { type RankRole, ranksOf } from '../mappings/whole-group.js';
import { type ChosenRole, type Setup, setups } from './setup-model.js';

export type { Setup, SetupStep } from './setup-model.js';

export async function findSetup(guildId: string): Promise<Setup | null> {
  const found = await setups.find(guildId);
  return found === null ? null : { guildId, ...found.value };
}

/**
 * The guild's current setup, or a new one based on its group, verified role and settings. `channelId`: the default
 * channel for a new panel. Throws ChatPlatformUnavailable.
 */
export async function openSetup({ _id: guildId }: Guild, channelId: string | null): Promise<Setup> {
  const known = await findSetup(guildId);
  if (known !== null) return known;
  const $setOnInsert = { guildId, value: await firstChoices(guildId, channelId) };
  const opened = await setups.change(guildId, { $setOnInsert }, { upsert: true });
  return { guildId, ...(opened?.value ?? $setOnInsert.value) };
}

/** The guild's current setup, or the one that `openSetup` would store. Throws ChatPlatformUnavailable. */
export async function readSetup({ _id: guildId }: Guild): Promise<Setup> {
  return (await findSetup(guildId)) ?? { guildId, ...(await firstChoices(guildId, null)) };
}

async function firstChoices(guildId: string, channelId: string | null): Promise<Omit<Setup, 'guildId'>> {
  const [groups, mappings, settings, facts] = await Promise.all([
    findGroups(guildId),
    listAllMappings(guildId),
    readSettings(guildId),
    readGuildFacts(guildId),
  ]);
  const mapped = mappings.find(({ condition }) => condition.type === 'verified')?.roleIds[0];
  return {
    step: 'place',
    groupId: groups[0]?.groupId ?? null,
    verifiedRoleId: mapped ?? roleNamed(facts, 'verified'),
    nickname: settings.nickname,
    methods: settings.verification.methods,
    channelId,
    panel: {},
  };
}

/** The one role that is called so, in upper or lower case; null when there is none or several. */
function roleNamed({ roles }: GuildFacts, name: string): string | null {
  const [role, another] = [...roles.values()].filter((each) => each.name.trim().toLowerCase() === name);
  return another === undefined ? (role?.roleId ?? null) : null;
}

/** Stores a choice. Throws Conflict `busy` if the setup has been applied. */
export async function changeSetup(guildId: string, change: Partial<Omit<Setup, 'guildId'>>): Promise<Setup> {
  const $set = Object.fromEntries(Object.entries(change).map(([field, value]) => [`value.${field}`, value]));
  const changed = await setups.change(guildId, { $set });
  if (changed === null) throw new Conflict('busy', 'This setup has just been finished. Start another one.');
  return { guildId, ...changed.value };
}

/**
 * Chooses a setup's group, given its id or its page's address, and attaches it unless it is attached. Throws as
 * `addGroup` does.
 */
export async function chooseGroup(guild: Guild, actor: Actor, reference: string): Promise<Setup> {
  const groupId = parseGameGroupReference(reference) ?? reference;
  try {
    await addGroup(guild, actor, groupId);
  } catch (error) {
    if (!(error instanceof Conflict && error.code === 'group_exists')) throw error;
  }
  const { groupId: before } = await openSetup(guild, null);
  return changeSetup(guild._id, { groupId, step: 'ranks', ...(groupId !== before && { rankRoles: [] }) });
}

/**
 * Chooses the verified role, or none. The role must be in this server and within the actor's reach (DISC-25). Throws
 * InvalidRequest, Forbidden,
 * ChatPlatformUnavailable, and as `changeSetup` does.
 */
export async function chooseVerifiedRole(guild: Guild, actor: Actor, roleId: string | null): Promise<Setup> {
  const facts = await readGuildFacts(guild._id);
  if (roleId !== null && (roleId === guild._id || !facts.roles.has(roleId))) {
    throw new InvalidRequest([{ path: 'verifiedRoleId', message: 'is not a role of this server' }]);
  }
  const mapper = await authorOf(actor, facts);
  const roleIds = roleId === null ? [] : [roleId];
  throwFirst(judgeReach(facts, mapper, roleIds), facts);
  return changeSetup(guild._id, { verifiedRoleId: roleId });
}

/**
 * Chooses roles for ranks in the setup's group that have no role by their name (DASH-41). Each role must be within the
 * actor's reach. Throws InvalidRequest, Forbidden, ChatPlatformUnavailable, and as `changeSetup` does.
 */
export async function chooseRankRoles(guild: Guild, actor: Actor, rankRoles: ChosenRole[]): Promise<Setup> {
  const facts = await readGuildFacts(guild._id);
  const beside = await ranksBeside(await openSetup(guild, null), facts);
  const known = new Set(beside?.ranks.map(({ rank }) => rank.gameRoleId));
  const unknown = rankRoles.flatMap(({ gameRoleId, roleId }, index) => [
    ...(known.has(gameRoleId) ? [] : [{ path: `rankRoles.${index}.gameRoleId`, message: 'is no rank of the group' }]),
    ...(facts.roles.has(roleId)
      ? []
      : [{ path: `rankRoles.${index}.roleId`, message: 'is not a role of this server' }]),
  ]);
  if (unknown.length > 0) throw new InvalidRequest(unknown);
  const mapper = await authorOf(actor, facts);
  const reached = judgeReach(
    facts,
    mapper,
    rankRoles.map(({ roleId }) => roleId),
  );
  throwFirst(reached, facts);
  return changeSetup(guild._id, { rankRoles });
}

/** A rank in a setup's group. `isChosen`: its role was chosen, and is not found by its name. */
export interface RankBeside extends RankRole {
  isChosen: boolean;
}

/** A setup's group, with its ranks and the role for each, lowest first. */
export interface GroupBeside {
  group: LinkedGroup;
  ranks: RankBeside[];
}

/** Null if the setup has no group, or the group was removed. `ceilingRoleId`: the asking person's highest role. */
export async function ranksBeside(
  setup: Pick<Setup, 'guildId' | 'groupId' | 'rankRoles'>,
  facts: GuildFacts,
  ceilingRoleId: string | null = null,
): Promise<GroupBeside | null> {
  const groups = await findGroups(setup.guildId);
  const group = groups.find((each) => each.groupId === setup.groupId);
  if (group === undefined) return null;
  const ranks = ranksOf({ ...wholeGroup(group.groupId), ceilingRoleId }, { facts, groups });
  return { group, ranks: ranks.map((rank) => withChosen(rank, setup, facts)) };
}

/** A rank with the role chosen for it, which counts only while no role is found by the rank's name. */
function withChosen(beside: RankRole, { rankRoles = [] }: Pick<Setup, 'rankRoles'>, { roles }: GuildFacts): RankBeside {
  const chosen = rankRoles.find(({ gameRoleId }) => gameRoleId === beside.rank.gameRoleId);
  if (beside.problem === null || chosen === undefined || !roles.has(chosen.roleId)) {
    return { ...beside, isChosen: false };
  }
  return { ...beside, roleIds: [chosen.roleId], problem: null, isChosen: true };
}

export const wholeGroup = (groupId: string): MappingDraft => rule({ type: 'group_roles', groupId, match: 'name' }, []);

export const rule = (condition: MappingDraft['condition'], roleIds: string[]): MappingDraft => ({
  name: null,
  condition,
  roleIds,
  nickname: null,
  removeWhenUnmatched: true,
  enabled: true,
});

/** Ends a guild's setup: /setup begins a new one. */
export async function endSetup(guildId: string): Promise<void> {
  await setups.forget(guildId);
}
