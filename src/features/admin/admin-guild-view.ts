import { z } from 'zod';
import { type Guild, guildFields } from '../../core/guilds/guild-model.js';
import { shownFields } from '../../lib/shown-fields.js';

const shown = shownFields(
  guildFields.omit({
    searchName: true,
    catchUpSince: true,
    catchUpAt: true,
    caughtUpAt: true,
    keptAt: true,
    welcome: true,
  }),
  'guildId',
);

/** A guild as platform admins see it, also one that the bot has left. */
export const adminGuildView = shown.view.extend({ linkedMembers: z.int() }).meta({ id: 'AdminGuild' });

export function viewAdminGuild(guild: Guild, linkedMembers: number): z.input<typeof adminGuildView> {
  return { ...shown.show(guild), linkedMembers };
}
