import { z } from 'zod';
import { type Guild, guildFields } from '../../core/guilds/guild-model.js';
import { shownFields } from '../../lib/shown-fields.js';

const shown = shownFields(
  // Named one by one, so that a guild's new field stays inside.
  guildFields.pick({
    ...{ _id: true, name: true, iconUrl: true, ownerId: true, memberCount: true, plan: true, state: true },
    ...{ suspension: true, present: true, joinedAt: true },
  }),
  'guildId',
);

/** A guild as platform admins see it, also one that the bot has left. */
export const adminGuildView = shown.view
  .extend({
    linkedMembers: z.int(),
    suspendedBy: z
      .string()
      .nullable()
      .describe('The name of the admin in `suspension.by`, as the log has it; null without a suspension or entry.'),
  })
  .meta({ id: 'AdminGuild' });

/** `suspendedBy`: the suspending admin's name, if it is known. */
export function viewAdminGuild(
  guild: Guild,
  linkedMembers: number,
  suspendedBy: string | null = null,
): z.input<typeof adminGuildView> {
  return { ...shown.show(guild), linkedMembers, suspendedBy };
}
