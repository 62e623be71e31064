import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { managedGuilds } from '../../core/auth/session-service.js';
import { findGuilds } from '../../core/guilds/guild-service.js';
import { inviteUrl } from './installation.js';

/** A server of a person that the bot could come to (AUTH-14). */
export const serverWithoutBotView = z
  .strictObject({
    guildId: z.string(),
    name: z.string().describe('As it was when they signed in.'),
    iconUrl: z.string().nullable(),
    inviteUrl: z.url().nullable().describe('Adds the bot to it; null while Discord has not told whose bot it is.'),
  })
  .meta({ id: 'ServerWithoutBot' });

/**
 * The servers that a person could manage when they signed in and in which the bot is not, by name; null when they
 * signed in to verify, so that Discord was not asked for them. Discord tells of 200 servers at most.
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
