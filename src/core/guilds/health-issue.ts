import { z } from 'zod';
import { channelObstacles } from '../../platforms/discord/guild-channels.js';
import { blockReason } from '../../platforms/discord/role-hierarchy.js';
import { keyFaults } from '../../platforms/roblox/api-key.js';
import { rankingFaults } from '../../platforms/roblox/key-rights.js';
import { planName } from '../plans/plans.js';

const code = z.enum([
  'account_gone',
  'restriction_above_writer',
  'members_left_out',
  'discord_unreachable',
  'discord_calls_wait',
  'missing_manage_roles',
  'missing_manage_nicknames',
  'missing_kick_members',
  ...blockReason.exclude(['missing_permission']).options,
  'several_roles',
  'role_above_mapper',
  'role_changed_back',
  'nickname_changed_back',
  'other_bot',
  'log_channel_unwritable',
  'group_missing',
  'game_role_missing',
  'groups_over_plan',
  'mappings_over_plan',
  'ranks_stale',
  'rules_unfinished',
  'roblox_closed',
  'roblox_key_needed',
  'roblox_highest_only',
  ...keyFaults.map((fault) => `roblox_key_${fault}` as const),
  ...rankingFaults.map((fault) => `ranking_${fault}` as const),
  'universe_key_needed',
  'universe_refused',
  'webhook_disabled',
  'webhook_failing',
  'webhook_secret_unreadable',
  'webhooks_over_plan',
]);

/** `error`: something does not work now. `warning`: it works partly, late, or not for long. */
const severity = z.enum(['error', 'warning']);

const warnings: ReadonlySet<string> = new Set([
  'removal_limit',
  'beyond_word',
  'restriction_above_writer',
  'members_left_out',
  'account_gone',
  'discord_calls_wait',
  'several_roles',
  'role_above_mapper',
  'refused_by_discord',
  'role_changed_back',
  'nickname_changed_back',
  'other_bot',
  'log_channel_unwritable',
  'groups_over_plan',
  'mappings_over_plan',
  'webhook_failing',
  'webhooks_over_plan',
  'ranks_stale',
  'roblox_highest_only',
  'roblox_key_expiring',
  'ranking_scope_missing',
  'ranking_outside',
  'ranking_permission_missing',
  'ranking_rank_low',
  'universe_key_needed',
  'universe_refused',
] satisfies z.output<typeof code>[]);

/** A problem that will stop a sync or webhook: a sentence with the remedy, and its parts. */
export const healthIssue = z
  .strictObject({
    code,
    detail: z.string().describe('A sentence for people. Its parts are in the other fields.'),
    permission: z.string().exactOptional().describe('missing_…: the permission by its name on Discord.'),
    severity: severity.describe('error: it does not work now; warning: in part, late, or not for long.'),
    mappingIds: z.array(z.string()).exactOptional().describe('The mappings that suffer from it.'),
    roleId: z.string().exactOptional().describe('A mapped role on Discord.'),
    roleName: z.string().exactOptional().describe('Of `roleId`; of a deleted one the last known name, else the id.'),
    holders: z
      .int()
      .nullable()
      .exactOptional()
      .describe('role_above_bot, role_managed, became_dangerous: everyone who has and keeps it; null: not known.'),
    botRoleName: z.string().exactOptional().describe('role_above_bot: the highest role of the bot.'),
    permissions: z.array(z.string()).exactOptional().describe('became_dangerous: the dangerous permissions.'),
    channelId: z.string().exactOptional().describe('The log channel.'),
    universeId: z.string().exactOptional().describe('universe_refused: the Roblox experience.'),
    groupId: z.string().exactOptional().describe('A Roblox group.'),
    groupName: z.string().exactOptional().describe('Of `groupId`; missing when it is not attached.'),
    gameRoleId: z
      .string()
      .exactOptional()
      .describe('A role of the group: one that it no longer has, or one with an ambiguous name.'),
    groupNames: z.array(z.string()).exactOptional().describe('groups_over_plan: groups of the paused mappings.'),
    plan: planName.exactOptional().describe('…_over_plan: the plan in force.'),
    limit: z.int().exactOptional().describe("…_over_plan: the plan's limit."),
    count: z
      .int()
      .exactOptional()
      .describe(
        '…_over_plan: paused mappings or webhooks; roblox_key_needed, roblox_highest_only: mappings; discord_calls_wait: seconds; account_gone, restriction_above_writer, members_left_out, removal_limit, beyond_word, refused_by_discord, …_changed_back: members.',
      ),
    memberIds: z
      .array(z.string())
      .exactOptional()
      .describe('restriction_above_writer, members_left_out, removal_limit, beyond_word: the first 20 of them.'),
    resyncId: z.string().exactOptional().describe('removal_limit: the resync that waits for an admin, if one does.'),
    words: z.string().exactOptional().describe("refused_by_discord: Discord's reason, in its own words."),
    botNames: z.array(z.string()).exactOptional().describe('other_bot: the other bots by their roles.'),
    webhookId: z.string().exactOptional(),
    host: z.string().exactOptional().describe('Where the webhook leads.'),
    reason: z
      .enum([...channelObstacles.options, 'gone', 'failing'])
      .exactOptional()
      .describe('log_channel_unwritable, webhook_disabled: why.'),
  })
  .meta({ id: 'HealthIssue' });
export type HealthFinding = Omit<z.output<typeof healthIssue>, 'severity'>;

export function viewIssue(finding: HealthFinding): z.input<typeof healthIssue> {
  return { ...finding, severity: warnings.has(finding.code) ? 'warning' : 'error' };
}
