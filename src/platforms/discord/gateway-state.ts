import { container } from '@sapphire/framework';
import { GatewayCloseCodes, Status } from 'discord.js';
import { Counter } from 'prom-client';
import { logger } from '../../lib/logger.js';
import { metrics } from '../../lib/metrics.js';

/** Whether the bot has connected since this process started. Before that, its id and permissions are unknown. */
export function hasConnected(): boolean {
  return container.client.id !== null;
}

/** Whether the bot is connected on every shard in this process at the moment. */
export function gatewayReady(): boolean {
  const { client } = container;
  return client.isReady() && client.ws.shards.every(({ status }) => status === Status.Ready);
}

/**
 * The changes to a shard's connection. `ready`: a new session. `resumed`: back without a gap. `lost`: discord.js
 * reconnects. `refused`: it doesn't, since Discord would refuse again. `failed`: a socket error.
 */
export type GatewayChange = 'ready' | 'resumed' | 'lost' | 'refused' | 'failed';

const changes = new Counter({
  name: 'rolelink_gateway_changes_total',
  help: 'Connections to the gateway that were made, resumed, lost, refused or failed, by shard.',
  labelNames: ['change', 'shard'],
  registers: [metrics],
});

const levels = { ready: 'info', resumed: 'info', lost: 'warn', refused: 'fatal', failed: 'warn' } as const;

/** Logs and counts a change to a shard's connection (DISC-45). Connections closed by ourselves are ignored. */
export function noteGateway(change: GatewayChange, shard: number, details: Record<string, unknown> = {}): void {
  if (Reflect.get(container.client.ws, 'destroyed') === true) return;
  // Each starts at 0 with a shard's first change, which is its connection (ENV-48).
  for (const each of Object.keys(levels)) changes.inc({ change: each, shard: String(shard) }, each === change ? 1 : 0);
  logger[levels[change]]({ shard, ...details }, `gateway ${change}`);
}

export function shardCounts(): { connected: number; all: number } {
  const { shards } = container.client.ws;
  return { connected: shards.filter(({ status }) => status === Status.Ready).size, all: shards.size };
}

/** The reason Discord closed a connection for good, by close code, with its remedy. */
export function gatewayRefusal(code: number): string {
  if (code === GatewayCloseCodes.AuthenticationFailed) return tokenRefused;
  if (code === GatewayCloseCodes.DisallowedIntents) {
    return 'Discord refuses the bot the intent "Server Members". Switch it on in the developer portal, under Bot.';
  }
  const shards = [GatewayCloseCodes.InvalidShard, GatewayCloseCodes.ShardingRequired];
  const hint = shards.includes(code) ? ' Check SHARDS.' : '';
  return `Discord refuses the connection to its gateway for good (close code ${code}).${hint}`;
}

export const tokenRefused = 'Discord rejects DISCORD_TOKEN. Copy the bot token again from the developer portal.';
