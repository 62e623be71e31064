import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict } from '../../lib/errors.js';
import { withLease } from '../../platforms/database/lease.js';
import { type EventName, eventName } from '../../platforms/events/event-types.js';
import { push } from '../../platforms/events/outbox.js';
import { wakeDeliveries } from './delivery-job.js';
import { Deliveries, deliveryIdAt, deliveryListIndex } from './delivery-model.js';
import { dueAgain, requireDeliverable } from './delivery-service.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';
import { getEndpoint } from './endpoint-service.js';

/** Maximum number of deliveries that one replay makes once more (HOOK-30). */
export const mostReplayed = 10_000;
const replaysPerWrite = 1_000;

/** Finished deliveries of an endpoint by the time at which they were stored, exact to the second. */
export interface ReplayWindow {
  since: Date;
  until: Date;
  state?: 'succeeded' | 'failed' | undefined;
  event?: EventName | undefined;
}

/** Deliveries about an erased person are never sent again. */
function windowOf(guildId: string, webhookId: string, { since, until, state, event }: ReplayWindow) {
  return {
    guildId,
    webhookId,
    state: trusted({ $in: state ? [state] : (['succeeded', 'failed'] as const) }),
    event: trusted({ $in: event ? [event] : [...eventName.options] }),
    personErased: trusted({ $exists: false }),
    _id: trusted({ $gte: deliveryIdAt(since), $lt: deliveryIdAt(until) }),
  };
}

/**
 * How many deliveries a replay would make once more, counted up to one above the maximum. Throws NotFound
 * `webhook_not_found`.
 */
export async function countReplay(guildId: string, webhookId: string, window: ReplayWindow): Promise<number> {
  await getEndpoint(guildId, webhookId);
  const meant = windowOf(guildId, webhookId, window);
  return Deliveries.acrossGuilds.countDocuments(meant, { hint: deliveryListIndex, limit: mostReplayed + 1 }).exec();
}

/**
 * Repeats the finished deliveries of a window, delivered ones included: one attempt each, under the same ids. `count` is the
 * number that the person was shown. Those stored on return will be made, even after a crash.
 * One replay of an endpoint runs at a time, so the second of two at once finds another number.
 * @throws NotFound `webhook_not_found`, Conflict `count_changed`, `busy` and those of `requireDeliverable`.
 */
export async function replay(
  guild: Guild,
  actor: Actor,
  webhookId: string,
  { count, ...window }: ReplayWindow & { count: number },
): Promise<number> {
  const { _id: guildId } = guild;
  const endpoint = await getEndpoint(guildId, webhookId);
  await requireDeliverable(guild, endpoint);
  return withLease(`replay:${webhookId}`, async () => {
    const found = await countAsShown(guildId, webhookId, { count, ...window });
    await logReplay(guild, actor, endpoint, { ...window, found });
    const made = await makeDue(guildId, webhookId, window);
    wakeDeliveries([webhookId]);
    return made;
  });
}

/** The number of deliveries in the window. Throws Conflict `count_changed` unless it was shown. */
async function countAsShown(
  guildId: string,
  webhookId: string,
  { count, ...window }: ReplayWindow & { count: number },
): Promise<number> {
  const found = await countReplay(guildId, webhookId, window);
  if (found > mostReplayed)
    throw new Conflict(
      'count_changed',
      `There are more than ${mostReplayed} deliveries in this time: choose a shorter one.`,
    );
  if (found !== count)
    throw new Conflict('count_changed', `There are ${found} deliveries in this time now: confirm this number.`);
  return found;
}

/** Logged before the first is made due, since they are made due by several writes: a crash leaves none untold. */
async function logReplay(
  { _id: guildId }: Guild,
  actor: Actor,
  endpoint: WebhookEndpoint,
  { found, since, until }: ReplayWindow & { found: number },
): Promise<void> {
  const { _id: webhookId } = endpoint;
  const target = { kind: 'webhook', id: webhookId, name: new URL(endpoint.url).host };
  const changes = Object.fromEntries(
    Object.entries({ redelivered: found, since, until }).map(([name, to]) => [name, { from: null, to }]),
  );
  const entry = newEntry({ guildId, actor, action: 'delivery.redelivered', target, changes });
  await WebhookEndpoints.update({ _id: webhookId, guildId }, push(entry));
  await enterLog(entry);
}

/** Goes from the newest to the oldest, so that one that ends again in the meantime is not taken twice. */
async function makeDue(guildId: string, webhookId: string, window: ReplayWindow): Promise<number> {
  const now = clock.now();
  const oldest = deliveryIdAt(window.since);
  let before = deliveryIdAt(window.until);
  for (let made = 0; ; ) {
    const some = await Deliveries.acrossGuilds
      .find(
        { ...windowOf(guildId, webhookId, window), _id: trusted({ $gte: oldest, $lt: before }) },
        { _id: 1, state: 1 },
      )
      .sort({ _id: -1 })
      .limit(replaysPerWrite)
      .hint(deliveryListIndex)
      .lean<{ _id: string }[]>();
    const last = some.at(-1);
    if (last === undefined) return made;
    const finished = { guildId, state: trusted({ $in: ['succeeded', 'failed'] as const }) };
    const among = { ...finished, _id: trusted({ $in: some.map(({ _id }) => _id) }) };
    made += (await Deliveries.acrossGuilds.updateMany(among, dueAgain(now))).modifiedCount;
    before = last._id;
  }
}
