import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import { changesBetween } from '../../core/audit/changes-between.js';
import { type LinkedGroup, LinkedGroups } from '../../core/groups/group-model.js';
import { groupNotFound } from '../../core/groups/group-service.js';
import { defaultRankingRules, type RankingRules } from '../../core/groups/ranking-rules.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { InvalidRequest } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { push } from '../../platforms/events/outbox.js';

/** The rules for ranking in a group of the guild. Throws NotFound `group_not_found`. */
export async function readRankingRules(guildId: string, groupId: string): Promise<RankingRules> {
  return rulesOf(await groupIn(guildId, groupId));
}

/**
 * Replaces the rules for ranking in a group. Throws NotFound `group_not_found`, InvalidRequest for a role that the
 * server doesn't have, and ChatPlatformUnavailable.
 */
export async function changeRankingRules(
  guild: Guild,
  actor: Actor,
  groupId: string,
  rules: RankingRules,
): Promise<RankingRules> {
  const guildId = guild._id;
  const before = await groupIn(guildId, groupId);
  await requireRoles(guildId, rulesOf(before), rules);
  const fields = ['teamRole', 'roleIds', 'highestRank', 'perHour'] as const;
  const changes = changesBetween(rulesOf(before), rules, fields);
  if (Object.keys(changes).length === 0) return rules;
  const target = { kind: 'group', id: groupId, name: before.name };
  const entry = newEntry({ guildId, actor, action: 'group.ranking_changed', target, changes });
  const after = await LinkedGroups.update({ guildId, groupId }, { $set: { ranking: rules }, ...push(entry) });
  if (after === null) throw groupNotFound();
  await enterLog(entry);
  return rules;
}

async function groupIn(guildId: string, groupId: string): Promise<LinkedGroup> {
  const group = await LinkedGroups.findOne({ guildId, groupId });
  if (group === null) throw groupNotFound();
  return group;
}

const rulesOf = ({ ranking = defaultRankingRules }: LinkedGroup): RankingRules => ranking;

/** Roles already in the rules may be gone. */
async function requireRoles(guildId: string, before: RankingRules, after: RankingRules): Promise<void> {
  const added = after.roleIds.filter((roleId) => !before.roleIds.includes(roleId));
  if (added.length === 0) return;
  const { roles } = await readGuildFacts(guildId);
  const issues = after.roleIds.flatMap((roleId, index) =>
    added.includes(roleId) && (!roles.has(roleId) || roleId === guildId)
      ? { path: `roleIds.${index}`, message: t('input.no_role') }
      : [],
  );
  if (issues.length > 0) throw new InvalidRequest(issues);
}
