import { container } from '@sapphire/framework';
import { Status } from 'discord.js';

/** Whether the bot is connected on every shard of this process now, not just once at boot. */
export function gatewayReady(): boolean {
  const { client } = container;
  return client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready);
}
