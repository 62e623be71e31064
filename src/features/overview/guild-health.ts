import type { LinkedGroup } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { HealthIssue } from '../../core/guilds/health-issue.js';
import { type PlanName, plans } from '../../core/plans/plans.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { logger } from '../../lib/logger.js';
import { type ChannelObstacle, channelObstacle } from '../../platforms/discord/guild-channels.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { mayManageNicknames, mayManageRoles, permissionNames } from '../../platforms/discord/permissions.js';
import { describeObstacle, roleObstacle } from '../../platforms/discord/role-hierarchy.js';
import { groupIdsOf } from '../mappings/condition.js';
import type { Mapping } from '../mappings/mapping-service.js';
import { heldRoleIds, missingGameRoles, missingGroupIds } from '../mappings/mapping-status.js';
import type { MappingsByPlan } from '../mappings/mappings-in-force.js';
import { partPicture, readStoredPicture } from '../mappings/mappings-picture.js';
import { rankIssue, readRankAge } from '../sync/watch/rank-age.js';
import { webhookIssues } from '../webhooks/endpoint-health.js';

/** What the bot may do in a guild, by Discord's names, and what will stop a sync there. */
export interface GuildHealth {
  botPermissions: string[];
  health: HealthIssue[];
}

/**
 * What the bot may do in a guild, by Discord's names, and what will stop a sync there (SPEC §4, §6.4): permissions that
 * are missing, roles of enabled mappings that it can't hand out or that have become dangerous, game groups and roles that are gone. Webhooks that are
 * turned off or paused are named too, as are mappings beyond the plan and ranks that are looked at too seldom. When Discord does not answer, that is an issue itself, and its permissions are
 * unknown.
 */
export async function guildHealth(guild: Guild): Promise<GuildHealth> {
  const { _id: guildId, plan } = guild;
  const [facts, settings, picture, webhooks, ranks] = await Promise.all([
    factsOrNull(guildId),
    readSettings(guildId),
    readStoredPicture(guild),
    webhookIssues(guild),
    readRankAge(guild),
  ]);
  const { groups } = picture;
  const byPlan = partPicture(picture);
  const mappings = byPlan.inForce;
  const discord =
    facts === null
      ? [unreachable]
      : [...discordIssues(facts, settings, mappings), ...(await logChannelIssues(guildId, settings))];
  return {
    botPermissions: facts === null ? [] : permissionNames(facts.bot.permissions),
    health: [
      ...discord,
      ...groupIssues(mappings, groups),
      ...planIssues(plan, byPlan, groups),
      ...webhooks,
      ...rankIssue(ranks),
    ],
  };
}

const unreachable: HealthIssue = {
  code: 'discord_unreachable',
  detail: 'Discord does not answer right now, so the bot’s permissions and roles could not be checked.',
};

function factsOrNull(guildId: string): Promise<GuildFacts | null> {
  return readGuildFacts(guildId).catch((err: unknown) => {
    logger.warn({ err, guildId }, 'The health of a guild could not be read from Discord');
    return null;
  });
}

function discordIssues(facts: GuildFacts, settings: GuildSettings, mappings: readonly Mapping[]): HealthIssue[] {
  const { permissions } = facts.bot;
  const issues = roleIssues(facts, mappings);
  if (settings.nickname.enabled && !mayManageNicknames(permissions)) {
    issues.unshift(missingPermission('missing_manage_nicknames', 'Manage Nicknames', 'change nicknames'));
  }
  if (!mayManageRoles(permissions)) {
    issues.unshift(missingPermission('missing_manage_roles', 'Manage Roles', 'give or take roles'));
  }
  return issues;
}

async function logChannelIssues(guildId: string, { logChannelId }: GuildSettings): Promise<HealthIssue[]> {
  const obstacle = logChannelId === null ? null : await obstacleOrNull(guildId, logChannelId);
  return obstacle === null ? [] : [{ code: 'log_channel_unwritable', detail: unwritable[obstacle] }];
}

function obstacleOrNull(guildId: string, channelId: string): Promise<ChannelObstacle | null> {
  return channelObstacle(guildId, channelId).catch((err: unknown) => {
    logger.warn({ err, guildId }, 'The log channel of a guild could not be read from Discord');
    return null;
  });
}

const unwritable: Readonly<Record<ChannelObstacle, string>> = {
  channel_missing: 'The log channel does not exist any more. Choose another one in the settings.',
  channel_not_text: 'The log channel is not a text channel any more. Choose another one in the settings.',
  channel_forbidden:
    'The bot cannot write into the log channel. Grant it View Channel and Send Messages there, or choose another one.',
};

function missingPermission(code: string, permission: string, purpose: string): HealthIssue {
  const detail = `The bot lacks the permission ${permission}, so it cannot ${purpose}. Grant it in Server Settings → Roles.`;
  return { code, detail };
}

/** Each mapped role once. That Manage Roles is missing stops all of them and is said once for the guild. */
function roleIssues(facts: GuildFacts, mappings: readonly Mapping[]): HealthIssue[] {
  const roleIds = new Set(mappings.flatMap((mapping) => mapping.roleIds));
  const held = new Set(mappings.flatMap((mapping) => heldRoleIds(mapping, facts)));
  return [...roleIds].flatMap((roleId) => {
    const code = roleObstacle(facts, roleId) ?? (held.has(roleId) ? 'became_dangerous' : null);
    if (code === null || code === 'missing_permission') return [];
    return { code, detail: describeObstacle(facts, roleId, code), roleId };
  });
}

function groupIssues(mappings: readonly Mapping[], groups: readonly LinkedGroup[]): HealthIssue[] {
  const missing = new Set(mappings.flatMap((mapping) => missingGroupIds(mapping, groups)));
  const names = new Map(groups.map((group) => [group.groupId, group.name]));
  const groupMissing = [...missing].map((groupId) => ({ code: 'group_missing', detail: lostGroup(groupId, names) }));
  const gameRoles = mappings.flatMap((mapping) => missingGameRoles(mapping, groups));
  const lostRoles = new Map(gameRoles.map(({ groupId, gameRoleId }) => [gameRoleId, names.get(groupId) ?? groupId]));
  return [...groupMissing, ...[...lostRoles].map(([gameRoleId, name]) => lostRole(gameRoleId, name))];
}

function lostGroup(groupId: string, names: ReadonlyMap<string, string>): string {
  const name = names.get(groupId);
  return name === undefined
    ? `A mapping names the Roblox group ${groupId}, which is not attached here. Add the group or change the mapping.`
    : `The Roblox group ${name} (${groupId}) no longer exists. Remove it together with its mappings.`;
}

function lostRole(gameRoleId: string, groupName: string): HealthIssue {
  const detail = `A mapping names the role ${gameRoleId} of the Roblox group ${groupName}, which it no longer has. Change the mapping.`;
  return { code: 'game_role_missing', detail };
}

/** What a guild has beyond its plan, after a downgrade: it is kept, does not work, and what to do about it. Pure. */
function planIssues(
  plan: PlanName,
  { paused }: MappingsByPlan<Mapping>,
  groups: readonly LinkedGroup[],
): HealthIssue[] {
  const { mappings, groups: groupLimit } = plans[plan];
  const surplus = paused.filter(({ reason }) => reason === 'mappings_over_plan').length;
  const byGroup = paused.filter(({ reason }) => reason === 'groups_over_plan').map(({ mapping }) => mapping);
  const issues: HealthIssue[] = [];
  if (byGroup.length > 0) {
    const named = new Set(byGroup.flatMap(({ condition }) => groupIdsOf(condition)));
    const names = groups.filter(({ groupId }) => named.has(groupId)).map(({ name }) => name);
    const detail = `The plan ${plan} allows ${groupLimit} groups. Mappings that name newer ones neither give nor take roles (${byGroup.length}, with ${names.join(', ')}): remove older groups, or upgrade.`;
    issues.push({ code: 'groups_over_plan', detail });
  }
  if (surplus > 0) {
    const detail = `The plan ${plan} allows ${mappings} mappings. The newest ${surplus} beyond that neither give nor take roles: remove or switch off others, or upgrade.`;
    issues.push({ code: 'mappings_over_plan', detail });
  }
  return issues;
}
