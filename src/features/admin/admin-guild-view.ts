import { z } from 'zod';
import type { Guild } from '../../core/guilds/guild-service.js';
import { planName } from '../../core/plans/plans.js';
import { timestamp } from '../../lib/fields.js';

/** A guild as platform admins see it, also one that the bot has left. */
export const adminGuildView = z
  .strictObject({
    guildId: z.string(),
    name: z.string(),
    iconUrl: z.string().nullable(),
    ownerId: z.string(),
    memberCount: z.int().describe('As Discord said last.'),
    linkedMembers: z.int(),
    plan: planName,
    state: z.enum(['active', 'suspended']),
    suspension: z
      .strictObject({ reason: z.string(), at: timestamp, by: z.string().describe('A platform admin’s Discord id') })
      .nullable(),
    present: z.boolean().describe('Whether the bot is in it now.'),
    joinedAt: timestamp.describe('When the bot first joined it.'),
  })
  .meta({ id: 'AdminGuild' });

export function viewAdminGuild(guild: Guild, linkedMembers: number): z.input<typeof adminGuildView> {
  const { _id: guildId, name, iconUrl, ownerId, memberCount, plan, state, suspension, present, joinedAt } = guild;
  return {
    ...{ guildId, name, iconUrl, ownerId, memberCount, linkedMembers, plan, state, present },
    suspension: suspension === undefined ? null : { ...suspension, at: suspension.at.toISOString() },
    joinedAt: joinedAt.toISOString(),
  };
}
