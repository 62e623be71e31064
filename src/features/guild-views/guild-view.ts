import { z } from 'zod';
import { type TeamRole, teamRole } from '../../core/actors/team-roles.js';
import { type Guild, guildFields } from '../../core/guilds/guild-model.js';
import { healthIssue, viewIssue } from '../../core/guilds/health-issue.js';
import { guildSettings } from '../../core/settings/guild-settings.js';
import { shownFields } from '../../lib/shown-fields.js';
import type { GuildHealth } from './guild-health.js';

const shown = shownFields(
  guildFields.pick({ _id: true, name: true, iconUrl: true, plan: true, state: true }),
  'guildId',
);

/** A guild in a list (API-59). `role` is the caller's own in it. */
export const guildSummaryView = shown.view
  .extend({ role: teamRole, linkedMembers: z.int() })
  .meta({ id: 'GuildSummary' });

export const guildView = guildSummaryView
  .extend({
    ownerId: z.string(),
    memberCount: z.int(),
    mode: guildSettings.shape.mode.describe('observe: members are compared with the rules, and nobody is changed.'),
    botPermissions: z.array(z.string()),
    health: z.array(healthIssue),
  })
  .meta({ id: 'Guild' });

export function viewGuildSummary(
  guild: Guild,
  role: TeamRole,
  linkedMembers: number,
): z.input<typeof guildSummaryView> {
  return { ...shown.show(guild), role, linkedMembers };
}

/** The whole guild; `health` is the bot's current health in it. */
export function viewGuild(
  guild: Guild,
  role: TeamRole,
  { linkedMembers, health }: { linkedMembers: number; health: GuildHealth },
): z.input<typeof guildView> {
  const { ownerId, memberCount } = guild;
  const { mode, botPermissions, health: found } = health;
  return {
    ...viewGuildSummary(guild, role, linkedMembers),
    ownerId,
    memberCount,
    mode,
    botPermissions,
    health: found.map(viewIssue),
  };
}
