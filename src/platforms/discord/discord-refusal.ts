import { type Client, GatewayCloseCodes } from 'discord.js';
import { logger } from '../../lib/logger.js';
import { askAboutToken, holdToken } from './bot-token.js';
import { gatewayRefusal, tokenRefused } from './gateway-state.js';
import { PacedStrategy } from './rest/paced-strategy.js';

/**
 * Resolves when Discord refuses the bot permanently, with a sentence that gives the remedy. A refused call or
 * connection is not permanent while Discord accepts the token itself (DISC-47).
 */
export function refusedForGood(client: Client): Promise<string> {
  return new Promise((resolve) => {
    holdToken(client.rest, () => resolve(tokenRefused));
    client.on('shardDisconnect', ({ code }, shard) => {
      afterClose(client, code, shard).then(
        (isRefused) => isRefused && resolve(gatewayRefusal(code)),
        (err: unknown) => logger.error({ err, shard }, 'gateway not connected'),
      );
    });
  });
}

/** Whether the connection is refused permanently; otherwise reconnects. */
async function afterClose(client: Client, code: number, shard: number): Promise<boolean> {
  if (code !== GatewayCloseCodes.AuthenticationFailed) return true;
  if ((await askAboutToken()) === 'refused') return true;
  const strategy: unknown = Reflect.get(Object(Reflect.get(client.ws, '_ws')), 'strategy');
  if (strategy instanceof PacedStrategy) await strategy.reconnect(shard);
  return false;
}
