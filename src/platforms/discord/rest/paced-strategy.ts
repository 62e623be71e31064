import { setTimeout as delay } from 'node:timers/promises';
import { SimpleShardingStrategy } from 'discord.js';
import { upperHalf, waitAfter } from '../../../lib/backoff.js';
import { logger } from '../../../lib/logger.js';

/** The pauses before a shard reconnects. The library itself always waits 0.5 s. */
const waits = { firstMs: 1_000, longestMs: 30_000, spread: upperHalf };
/** After this many failed connections in a row, a shard gives up its session and the session's resume address. */
const resumesAtMost = 3;

interface Shard {
  id: number;
  on(event: 'ready' | 'resumed', listener: () => void): unknown;
  internalConnect(): Promise<void>;
  strategy: { updateSessionInfo(shardId: number, session: null): unknown };
}

/**
 * Connects shards like its base class, but waits longer after each connection that ends before its session is ready or
 * resumed (DISC-49).
 */
export class PacedStrategy extends SimpleShardingStrategy {
  #ending = new AbortController();

  override async spawn(shardIds: number[]): Promise<void> {
    this.#ending = new AbortController();
    await super.spawn(shardIds);
    for (const shard of this.#shards()) pace(shard, this.#ending.signal);
  }

  override async destroy(...options: Parameters<SimpleShardingStrategy['destroy']>): Promise<void> {
    this.#ending.abort();
    await super.destroy(...options);
  }

  /** Reconnects a shard that Discord has closed for good. */
  async reconnect(shardId: number): Promise<void> {
    await this.#shards()
      .find(({ id }) => id === shardId)
      ?.internalConnect();
  }

  #shards(): Shard[] {
    const shards: ReadonlyMap<number, Shard> = Reflect.get(this, 'shards');
    return [...shards.values()];
  }
}

function pace(shard: Shard, ending: AbortSignal): void {
  const connect = shard.internalConnect.bind(shard);
  let failed = 0;
  const succeeded = () => {
    failed = 0;
  };
  shard.on('ready', succeeded);
  shard.on('resumed', succeeded);
  const connectPaced = async (): Promise<void> => {
    const waitMs = failed === 0 ? 0 : waitAfter(failed, waits);
    if (failed > 0)
      logger.warn({ shard: shard.id, failed, waitMs: Math.round(waitMs) }, 'gateway connection postponed');
    await delay(waitMs, undefined, { signal: ending, ref: false }).catch(() => undefined);
    if (ending.aborted) return;
    if (failed >= resumesAtMost) await shard.strategy.updateSessionInfo(shard.id, null);
    failed += 1;
    try {
      await connect();
    } catch (err) {
      // This promise is not awaited: the address may be invalid, or the socket may have closed in between.
      logger.warn({ err, shard: shard.id }, 'gateway not connected');
      if (Reflect.get(shard, 'status') === idle) await connectPaced();
    }
  };
  Object.assign(shard, { internalConnect: connectPaced });
}

/** The library's status for a shard without a connection. */
const idle = 0;
