import { type Client, GatewayDispatchEvents, type SimpleShardingStrategy, Status } from 'discord.js';
import { Counter } from 'prom-client';
import { logger } from '../../lib/logger.js';
import { metrics } from '../../lib/metrics.js';
import { isGivenUp } from './process-share.js';
import { PacedStrategy } from './rest/paced-strategy.js';

const dropped = new Counter({
  name: 'rolelink_gateway_events_dropped_total',
  help: 'Gateway events that could not be digested and were dropped.',
  labelNames: ['event'],
  registers: [metrics],
});

type Method = (...input: unknown[]) => unknown;

/**
 * Completes packets that omit optional fields which discord.js requires. An available server needs no `unavailable`,
 * and an interaction may have only `channel_id`.
 */
function complete(packet: unknown): void {
  const { t, d } = Object(packet);
  if (typeof d !== 'object' || d === null) return;
  if (t === GatewayDispatchEvents.GuildCreate) d.unavailable ??= false;
  if (t === GatewayDispatchEvents.InteractionCreate && d.channel_id) d.channel ??= { id: d.channel_id };
}

/**
 * Keeps a packet that discord.js can't process from ending the process (DISC-44). It is logged and dropped, whether
 * processed immediately or, if it came before all shards were ready, later.
 */
export function guardPackets({ ws }: Client): void {
  emitReplayed(ws);
  guard(ws, 'handlePacket', (packet) => eventOf(packet) ?? 'packet', complete);
}

/**
 * discord.js processes replayed packets, but emits no member events while a shard is resuming: joins, leaves and
 * changes would be lost. Each such packet is processed as if it arrived afterwards.
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

/** Guards the steps around packets too: raw listeners, READY's bookkeeping, and the shard's own events. */
export function guardedStrategy(manager: ConstructorParameters<typeof SimpleShardingStrategy>[0]): PacedStrategy {
  dropGivenUp(manager);
  guard(manager, 'emit', (event, content) => {
    const { data } = Object(content);
    return eventOf(data) ?? String(event);
  });
  return new PacedStrategy(manager);
}

/** Drops the events of servers that a newer process has taken over: both are still connected (ENV-95). */
function dropGivenUp(manager: object): void {
  const emit: Method = Reflect.get(manager, 'emit').bind(manager);
  const kept: Method = (event, content) => isTaken(Object(content).data) || emit(event, content);
  Object.assign(manager, { emit: kept });
}

function isTaken(packet: unknown): boolean {
  const { t, d } = Object(packet);
  const event = eventOf(packet);
  if (event === undefined) return false;
  const { guild_id: guildId, id } = Object(d);
  if (typeof guildId === 'string') return isGivenUp(guildId);
  if (/^GUILD_(CREATE|UPDATE|DELETE)$/.test(event)) return isGivenUp(String(id));
  return t === GatewayDispatchEvents.InteractionCreate && isGivenUp(undefined);
}

/** A gateway packet's name, such as INTERACTION_CREATE. */
function eventOf(packet: unknown): string | undefined {
  const { t } = Object(packet);
  return typeof t === 'string' ? t : undefined;
}

/** Wraps a discord.js method. Its arguments are not logged, since they contain an interaction's token. */
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
      logger.error({ err, event }, 'gateway event dropped: it could not be parsed');
      return true;
    }
  };
  Object.assign(owner, { [name]: guarded });
}
