import { type Client, GatewayDispatchEvents, type SimpleShardingStrategy, Status } from 'discord.js';
import { Counter } from 'prom-client';
import { logger } from '../../lib/logger.js';
import { metrics } from '../../lib/metrics.js';
import { PacedStrategy } from './rest/paced-strategy.js';

const dropped = new Counter({
  name: 'rolelink_gateway_events_dropped_total',
  help: 'Gateway events that could not be digested and were dropped.',
  labelNames: ['event'],
  registers: [metrics],
});

type Method = (...input: unknown[]) => unknown;

/**
 * Completes packets that leave out what Discord's documentation allows to be left out, but discord.js takes for given:
 * a server that is there again needs no `unavailable`, and an interaction can name its channel by `channel_id` alone.
 */
function complete(packet: unknown): void {
  const { t, d } = Object(packet);
  if (typeof d !== 'object' || d === null) return;
  if (t === GatewayDispatchEvents.GuildCreate) d.unavailable ??= false;
  if (t === GatewayDispatchEvents.InteractionCreate && d.channel_id) d.channel ??= { id: d.channel_id };
}

/**
 * Keeps a packet that discord.js can't digest from ending the process (DISC-44): it is logged and dropped, be it
 * handled at once or, when it came before all shards were ready, later.
 */
export function guardPackets({ ws }: Client): void {
  emitReplayed(ws);
  guard(ws, 'handlePacket', (packet) => eventOf(packet) ?? 'packet', complete);
}

/**
 * discord.js digests what a resumed session replays, but emits no event of members while its shard is resuming: joins,
 * leaves and changes during a lost connection would be told nobody. Each such packet is digested as if it came afterwards.
 */
function emitReplayed(ws: Client['ws']): void {
  const handle: Method = Reflect.get(ws, 'handlePacket').bind(ws);
  const digest: Method = (packet, shard) => {
    if (Object(shard).status !== Status.Resuming || eventOf(packet) === undefined) return handle(packet, shard);
    Object.assign(Object(shard), { status: Status.Ready });
    try {
      return handle(packet, shard);
    } finally {
      Object.assign(Object(shard), { status: Status.Resuming });
    }
  };
  Object.assign(ws, { handlePacket: digest });
}

/** The same for what surrounds the packets: raw listeners, READY's bookkeeping, and the shard's own events. */
export function guardedStrategy(manager: ConstructorParameters<typeof SimpleShardingStrategy>[0]): PacedStrategy {
  guard(manager, 'emit', (event, content) => {
    const { data } = Object(content);
    return eventOf(data) ?? String(event);
  });
  return new PacedStrategy(manager);
}

/** The name of a gateway packet, such as INTERACTION_CREATE. */
function eventOf(packet: unknown): string | undefined {
  const { t } = Object(packet);
  return typeof t === 'string' ? t : undefined;
}

/** Wraps a method of discord.js. What it was given is not logged: an interaction's token is in it. */
function guard(
  owner: object,
  name: string,
  describe: (...input: unknown[]) => string,
  prepare?: (input: unknown) => void,
): void {
  const method: Method = Reflect.get(owner, name).bind(owner);
  const guarded: Method = (...input) => {
    try {
      prepare?.(input[0]);
      return method(...input);
    } catch (err) {
      const event = describe(...input);
      dropped.inc({ event });
      logger.error({ err, event }, 'A gateway event could not be digested and was dropped');
      return true;
    }
  };
  Object.assign(owner, { [name]: guarded });
}
