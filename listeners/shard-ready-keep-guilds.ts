import { Events } from '@sapphire/framework';
import type { Guild } from 'discord.js';
import { keepGuildAmongMany, keepGuilds } from '../src/core/guilds/guild-service.js';
import { untilStored } from '../src/core/guilds/missed-events.js';
import { inPieces } from '../src/lib/in-pieces.js';
import { onEvent } from '../src/platforms/discord/event-listener.js';
import { guildEventQueue } from '../src/platforms/discord/guild-event-queue.js';
import { profileOfGuild } from '../src/platforms/discord/guild-profile.js';
import { guildsOfSession } from '../src/platforms/discord/shard-guilds.js';

const guildsPerWrite = 1_000;

/** A new session has listed all servers of its shard. Known ones are stored in one write, and new ones in a few. */
export const KeepGuildsOfReadyShard = onEvent(Events.ShardReady, async (shardId) => {
  for (const guilds of inPieces(guildsOfSession(shardId), guildsPerWrite)) {
    const others = await untilStored(() => keepGuilds(guilds.map(profileOfGuild)));
    await Promise.all(guilds.filter(({ id }) => others.includes(id)).map(keepIfThere));
  }
});

function keepIfThere(guild: Guild): Promise<void> {
  const isThere = () => guild.client.guilds.cache.has(guild.id);
  return guildEventQueue.add(guild.id, () =>
    untilStored(async () => (isThere() ? keepGuildAmongMany(profileOfGuild(guild)) : undefined)),
  );
}
