import { z } from 'zod';
import { type TeamRole, teamRole } from '../../core/actors/team-roles.js';
import type { Guild } from '../../core/guilds/guild-model.js';
import { planName } from '../../core/plans/plans.js';
import type { GuildHealth } from './guild-health.js';

/** A guild in a list (SPEC §4). `role` is the caller's own in it. */
export const guildSummaryView = z
  .strictObject({
    guildId: z.string(),
    name: z.string(),
    iconUrl: z.string().nullable(),
    role: teamRole,
    plan: planName,
    state: z.enum(['active', 'suspended']),
    linkedMembers: z.int(),
  })
  .meta({ id: 'GuildSummary' });

/** One thing that will stop a sync, and what to do about it. */
export const healthIssueView = z
  .strictObject({ code: z.string(), detail: z.string(), roleId: z.string().optional() })
  .meta({ id: 'HealthIssue' });

export const guildView = guildSummaryView
  .extend({
    ownerId: z.string(),
    memberCount: z.int(),
    botPermissions: z.array(z.string()),
    health: z.array(healthIssueView),
  })
  .meta({ id: 'Guild' });

export function viewGuildSummary(
  guild: Guild,
  role: TeamRole,
  linkedMembers: number,
): z.input<typeof guildSummaryView> {
  const { _id: guildId, name, iconUrl, plan, state } = guild;
  return { guildId, name, iconUrl, role, plan, state, linkedMembers };
}

/** The whole guild; `health` is the bot's standing in it now. */
export function viewGuild(
  guild: Guild,
  role: TeamRole,
  { linkedMembers, health }: { linkedMembers: number; health: GuildHealth },
): z.input<typeof guildView> {
  const { ownerId, memberCount } = guild;
  return { ...viewGuildSummary(guild, role, linkedMembers), ownerId, memberCount, ...health };
}
