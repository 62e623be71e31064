import type { LinkedGroup } from '../../core/groups/group-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { HealthFinding } from '../../core/guilds/health-issue.js';
import { type PlanName, plans } from '../../core/plans/plans.js';
import { movedFrom } from '../../core/settings/beside-other-bots.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { isRestrictive } from '../../core/settings/restrictions.js';
import { logger } from '../../lib/logger.js';
import { type ChannelObstacle, channelObstacle } from '../../platforms/discord/guild-channels.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { mayKick, mayManageNicknames, mayManageRoles, permissionNames } from '../../platforms/discord/permissions.js';
import { pushIssues } from '../game-pushes/push-issues.js';
import { accessIssuesOf, keyIssues } from '../installation/game-key.js';
import { rankingIssues } from '../installation/ranking-rights.js';
import { groupIdsOf } from '../mappings/condition.js';
import type { Mapping } from '../mappings/mapping-service.js';
import { missingGameRoles, missingGroupIds } from '../mappings/mapping-status.js';
import type { MappingsByPlan, PauseReason } from '../mappings/mappings-in-force.js';
import { partSnapshot } from '../mappings/mappings-snapshot.js';
import { expanded } from '../mappings/whole-group.js';
import { countContested } from '../members/contested-roles.js';
import { countGoneAccounts } from '../members/member-service.js';
import { nicknameItself } from '../members/member-sync-fields.js';
import type { RefusalCount } from '../members/refusal-counts.js';
import { rankIssue, readRankAge } from '../rank-watch/rank-age.js';
import { readRefusedAndSpared } from '../sync/member/spared-members.js';
import { webhookIssues } from '../webhooks/endpoint-health.js';
import { withDeletedNames } from './deleted-role-names.js';
import { readHealthFacts } from './health-facts.js';
import { goneIssues, heldIssues, leftOutIssues, spareIssues, wordIssues } from './held-members.js';
import { idsOf, rankIssues, roleIssues, withHolders } from './role-issues.js';
import { unfinishedIssues } from './unfinished-rules.js';
import { waitingCallsIssue } from './waiting-calls.js';

/** The bot's permissions in a guild, by Discord's names, the obstacles to a sync there, and whether it only observes. */
export interface GuildHealth {
  mode: GuildSettings['mode'];
  botPermissions: string[];
  health: HealthFinding[];
}

/**
 * The bot's permissions in a guild, by Discord's names, and the obstacles to a sync there (SYNC-24).
 * Those are missing permissions, roles that it cannot give or that became dangerous, and groups, roles and accounts
 * that are gone, disabled webhooks, mappings beyond the plan, and faults in the host's access to Roblox. If Discord
 * does not answer, that is an issue too, and the permissions are unknown.
 */
export async function guildHealth(guild: Guild): Promise<GuildHealth> {
  const { _id: guildId, plan } = guild;
  const stored = readHealthFacts(guild);
  const [facts, { settings: versioned, snapshot, endpoints, keyCheck }, ranks, gone, blocked, contested] =
    await Promise.all([
      factsOrNull(guildId),
      stored,
      stored.then(({ watched }) => readRankAge(guild, watched)),
      countGoneAccounts(guildId),
      readRefusedAndSpared(guildId),
      countContested(guildId),
    ]);
  const [{ settings }, { refused, sparedBy, held, byWord, leftOut }] = [versioned, blocked];
  const { groups } = snapshot;
  const byPlan = partSnapshot(snapshot);
  const mappings = byPlan.inForce;
  const discord =
    facts === null
      ? [unreachable]
      : [
          ...(await withNamesAndHolders(
            guildId,
            discordIssues(facts, settings, expanded(mappings, { facts, groups })),
          )),
          ...rankIssues(mappings, { facts, groups }),
          ...otherBotIssue(facts, settings),
          ...(await logChannelIssues(guildId, settings)),
        ];
  return {
    mode: settings.mode,
    botPermissions: facts === null ? [] : permissionNames(facts.bot.permissions),
    health: [
      ...unfinishedIssues(versioned),
      ...discord,
      ...waitingCallsIssue(guildId),
      ...accessIssuesOf(keyCheck),
      ...rankingIssues(keyCheck?.ranking ?? [], groups),
      ...keyIssues(mappings),
      ...pushIssues(versioned),
      ...groupIssues(mappings, groups),
      ...goneIssues(gone),
      ...spareIssues(sparedBy(versioned)),
      ...leftOutIssues(leftOut),
      ...(await heldIssues(guildId, held)),
      ...wordIssues(byWord),
      ...refused.map(refusalIssue),
      ...contestedIssues(contested, mappings, facts),
      ...planIssues(plan, byPlan, groups),
      ...(await webhookIssues(guild, endpoints)),
      ...rankIssue(ranks),
    ],
  };
}

const unreachable: HealthFinding = {
  code: 'discord_unreachable',
  detail: "Discord does not answer right now, so the bot's permissions and roles could not be checked.",
};

const withNamesAndHolders = async (guildId: string, findings: readonly HealthFinding[]): Promise<HealthFinding[]> =>
  withHolders(guildId, await withDeletedNames(guildId, findings));

function factsOrNull(guildId: string): Promise<GuildFacts | null> {
  return readGuildFacts(guildId).catch((err: unknown) => {
    logger.warn({ err, guildId }, 'guild health not read from Discord');
    return null;
  });
}

function discordIssues(facts: GuildFacts, settings: GuildSettings, mappings: readonly Mapping[]): HealthFinding[] {
  const { permissions } = facts.bot;
  const issues = roleIssues(facts, mappings);
  if (settings.nickname.enabled && !mayManageNicknames(permissions)) {
    issues.unshift(missingPermission('missing_manage_nicknames', 'Manage Nicknames', 'change nicknames'));
  }
  const { restrictions } = settings;
  if (restrictions.action === 'kick' && isRestrictive(restrictions) && !mayKick(permissions)) {
    issues.unshift(missingPermission('missing_kick_members', 'Kick Members', 'kick restricted members'));
  }
  if (!mayManageRoles(permissions)) {
    issues.unshift(missingPermission('missing_manage_roles', 'Manage Roles', 'give or take roles'));
  }
  return issues;
}

/** A bot that gives roles by Roblox accounts, beside Rolelink: each would undo the other's changes (OBS-27). */
function otherBotIssue(facts: GuildFacts, { mode }: GuildSettings): HealthFinding[] {
  const botNames = movedFrom(facts);
  if (mode === 'observe' || botNames.length === 0) return [];
  const detail = `${botNames.join(', ')} can still give roles here, and would undo Rolelink's changes. Turn off Manage Roles for it in Server Settings → Roles.`;
  return [{ code: 'other_bot', detail, botNames }];
}

async function logChannelIssues(guildId: string, { logChannelId }: GuildSettings): Promise<HealthFinding[]> {
  if (logChannelId === null) return [];
  const reason = await obstacleOrNull(guildId, logChannelId);
  if (reason === null) return [];
  return [{ code: 'log_channel_unwritable', detail: unwritable[reason], channelId: logChannelId, reason }];
}

function obstacleOrNull(guildId: string, channelId: string): Promise<ChannelObstacle | null> {
  return channelObstacle(guildId, channelId).catch((err: unknown) => {
    logger.warn({ err, guildId }, 'log channel not read from Discord');
    return null;
  });
}

const unwritable: Readonly<Record<ChannelObstacle, string>> = {
  channel_missing: 'The log channel no longer exists. Choose another one in the settings.',
  channel_not_text: 'The log channel is no longer a text channel. Choose another one in the settings.',
  channel_forbidden:
    "The bot can't post in the log channel. Grant it View Channel and Send Messages there, or choose another one.",
};

function missingPermission(code: HealthFinding['code'], permission: string, purpose: string): HealthFinding {
  const detail = `The bot doesn't have the ${permission} permission, so it can't ${purpose}. Grant it in Server Settings → Roles.`;
  return { code, detail, permission };
}

function groupIssues(mappings: readonly Mapping[], groups: readonly LinkedGroup[]): HealthFinding[] {
  const names = new Map(groups.map((group) => [group.groupId, group.name]));
  const missing = new Set(mappings.flatMap((mapping) => missingGroupIds(mapping, groups)));
  const groupMissing = [...missing].map((groupId) => {
    const suffering = mappings.filter(({ condition }) => groupIdsOf(condition).includes(groupId));
    return { ...lostGroup(groupId, names.get(groupId)), mappingIds: idsOf(suffering) };
  });
  const lostBy = mappings.map((mapping) => ({ mapping, lost: missingGameRoles(mapping, groups) }));
  const lostRoles = new Map(lostBy.flatMap(({ lost }) => lost.map(({ groupId, gameRoleId }) => [gameRoleId, groupId])));
  const gameRoles = [...lostRoles].map(([gameRoleId, groupId]) => {
    const suffering = lostBy.filter(({ lost }) => lost.some((role) => role.gameRoleId === gameRoleId));
    const mappingIds = idsOf(suffering.map(({ mapping }) => mapping));
    return { ...lostRole(gameRoleId, groupId, names.get(groupId)), mappingIds };
  });
  return [...groupMissing, ...gameRoles];
}

function lostGroup(groupId: string, groupName?: string): HealthFinding {
  const detail =
    groupName === undefined
      ? `A mapping names the Roblox group ${groupId}, which isn't added here. Add the group or change the mapping.`
      : `The Roblox group ${groupName} (${groupId}) no longer exists. Remove it together with its mappings.`;
  return { code: 'group_missing', detail, groupId, ...(groupName !== undefined && { groupName }) };
}

function lostRole(gameRoleId: string, groupId: string, groupName = groupId): HealthFinding {
  const detail = `A mapping names the role ${gameRoleId} of the Roblox group ${groupName}, which it no longer has. Change the mapping.`;
  return { code: 'game_role_missing', detail, gameRoleId, groupId, groupName };
}

/** Discord's refusals for guild members, with Discord's reasons. */
function refusalIssue({ roleId, roleName, words, count }: RefusalCount): HealthFinding {
  const what = roleName === null ? 'a nickname' : `the role ${roleName}`;
  const detail = `Discord rejects ${what} for ${count} members: ${words}. Everything else is up to date. Rolelink tries again when something about it changes, and once a day.`;
  const role = roleId === null ? {} : { roleId, roleName: roleName ?? roleId };
  return { code: 'refused_by_discord', detail, ...role, words, count };
}

/** Roles and nicknames that something else changes back after each sync. */
function contestedIssues(
  contested: ReadonlyMap<string, number>,
  mappings: readonly Mapping[],
  facts: GuildFacts | null,
): HealthFinding[] {
  const rest =
    "members, probably another bot. Rolelink has stopped setting it for them. Discord's audit log shows who does it.";
  return [...contested].map(([what, count]): HealthFinding => {
    if (what === nicknameItself)
      return {
        code: 'nickname_changed_back',
        detail: `Something keeps reversing the nickname of ${count} ${rest}`,
        count,
      };
    const roleName = facts?.roles.get(what)?.name ?? what;
    const detail = `Something keeps reversing the role ${roleName} of ${count} ${rest}`;
    const mappingIds = idsOf(mappings.filter(({ roleIds }) => roleIds.includes(what)));
    return { code: 'role_changed_back', detail, mappingIds, roleId: what, roleName, count };
  });
}

/**
 * Things that a guild has beyond its plan after a downgrade: they are kept but do not work. Also names the remedy.
 * Pure.
 */
function planIssues(
  plan: PlanName,
  { paused }: MappingsByPlan<Mapping>,
  groups: readonly LinkedGroup[],
): HealthFinding[] {
  const { mappings, groups: limit } = plans[plan];
  const pausedBy = (reason: PauseReason) =>
    paused.filter((each) => each.reason === reason).map(({ mapping }) => mapping);
  const [surplus, byGroup] = [pausedBy('mappings_over_plan'), pausedBy('groups_over_plan')];
  const issues: HealthFinding[] = [];
  if (byGroup.length > 0) {
    const named = new Set(byGroup.flatMap(({ condition }) => groupIdsOf(condition)));
    const groupNames = groups.filter(({ groupId }) => named.has(groupId)).map(({ name }) => name);
    const { length: count } = byGroup;
    const detail = `The plan ${plan} allows ${limit} groups. Mappings that name newer ones neither give nor take roles (${count}, with ${groupNames.join(', ')}): remove older groups, or upgrade.`;
    issues.push({ code: 'groups_over_plan', detail, mappingIds: idsOf(byGroup), plan, limit, count, groupNames });
  }
  if (surplus.length > 0) {
    const detail = `The plan ${plan} allows ${mappings} mappings. The newest ${surplus.length} beyond that neither give nor take roles: remove or turn off others, or upgrade.`;
    issues.push({
      code: 'mappings_over_plan',
      detail,
      mappingIds: idsOf(surplus),
      plan,
      limit: mappings,
      count: surplus.length,
    });
  }
  return issues;
}
