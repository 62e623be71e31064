import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { managedGuilds } from '../../core/auth/session-service.js';
import { findGuilds } from '../../core/guilds/guild-service.js';
import { inviteUrl } from '../installation/installation.js';

/** A person's server that the bot could come to (AUTH-14). */
export const serverWithoutBotView = z
  .strictObject({
    guildId: z.string(),
    name: z.string().describe('As it was when they signed in.'),
    iconUrl: z.string().nullable(),
    inviteUrl: z
      .url()
      .nullable()
      .describe("Adds the bot to it; null until Discord has returned the bot's application."),
  })
  .meta({ id: 'ServerWithoutBot' });

/**
 * The servers without the bot that a person could manage at sign-in, by name. Null if they signed in to verify, since
 * Discord was not asked then. Discord lists 200 servers at most.
 */
export async function listServersWithoutBot({
  sessionId = '',
}: Actor): Promise<z.input<typeof serverWithoutBotView>[] | null> {
  const managed = await managedGuilds(sessionId);
  if (managed === null) return null;
  const ids = managed.map(({ guildId }) => guildId);
  const withBot = new Set((await findGuilds(ids, null)).map(({ _id }) => _id));
  const without = managed.filter(({ guildId }) => !withBot.has(guildId));
  const inOrder = without.sort((a, b) => a.name.localeCompare(b.name, 'en') || (a.guildId < b.guildId ? -1 : 1));
  return Promise.all(inOrder.map(async (guild) => ({ ...guild, inviteUrl: await inviteUrl(guild.guildId) })));
}
