import { trusted } from 'mongoose';
import type { Actor } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { Conflict } from '../../lib/errors.js';
import { minuteMs } from '../../lib/time.js';
import { withLease } from '../../platforms/database/lease.js';
import { type EventName, eventName } from '../../platforms/events/event-types.js';
import { push } from '../../platforms/events/outbox.js';
import { wakeDeliveries } from './delivery-job.js';
import { Deliveries, deliveryIdAt, deliveryListIndex } from './delivery-model.js';
import { dueAgain, requireDeliverable } from './delivery-service.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';
import { getEndpoint } from './endpoint-service.js';

/** Maximum deliveries that one replay makes once more (HOOK-30). */
export const mostReplayed = 10_000;
/** As many go out a minute, since nobody knows whether the address ever asked for them (HOOK-33). */
const replaysAMinute = 1_000;

interface Window {
  since: Date;
  until: Date;
}

/** An endpoint's finished deliveries by the time at which they were stored, exact to the second. */
export interface ReplayWindow extends Window {
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
 * Repeats a window's finished deliveries, delivered ones included: one attempt each, under the same ids. `count` is the
 * number that the person was shown. Those stored on return will be made, even after a crash.
 * An endpoint has one replay at a time, so the second of two at once finds another number.
 * @throws NotFound `webhook_not_found`, Conflict `count_changed`, `busy` and `requireDeliverable`'s.
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
    const redelivered = await countAsShown(guildId, webhookId, { count, ...window });
    await logRepetition(actor, endpoint, { redelivered, since: window.since, until: window.until });
    return makeDue(windowOf(guildId, webhookId, window), window);
  });
}

/**
 * Repeats an endpoint's deliveries that have failed since a time, the newest 10,000. Those stored on return will be made,
 * even after a crash.
 * @returns how many.
 * @throws NotFound `webhook_not_found`, and `requireDeliverable`'s Conflicts.
 */
export async function redeliverFailed(guild: Guild, actor: Actor, webhookId: string, since: Date): Promise<number> {
  const endpoint = await getEndpoint(guild._id, webhookId);
  await requireDeliverable(guild, endpoint);
  const now = clock.now();
  const all = { since: new Date(0), until: new Date(now.getTime() + minuteMs) };
  // Deliveries that fail again during this call are not taken twice.
  const completedAt = trusted({ $gte: since, $lte: now });
  const meant = { ...windowOf(guild._id, webhookId, { ...all, state: 'failed' }), completedAt };
  const redelivered = await Deliveries.acrossGuilds.countDocuments(meant, { hint: deliveryListIndex }).exec();
  await logRepetition(actor, endpoint, { redelivered: Math.min(redelivered, mostReplayed), failedSince: since });
  return makeDue(meant, all);
}

/** The delivery count in the window. Throws Conflict `count_changed` unless it was shown. */
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
async function logRepetition(
  actor: Actor,
  { _id: webhookId, guildId, url }: WebhookEndpoint,
  facts: { redelivered: number } & Record<string, unknown>,
): Promise<void> {
  const target = { kind: 'webhook', id: webhookId, name: new URL(url).host };
  const changes = Object.fromEntries(Object.entries(facts).map(([name, to]) => [name, { from: null, to }]));
  const entry = newEntry({ guildId, actor, action: 'delivery.redelivered', target, changes });
  await WebhookEndpoints.update({ _id: webhookId, guildId }, push(entry));
  await enterLog(entry);
}

/**
 * Makes a period's meant deliveries due, by the minute. It goes from the newest to the oldest, so that one that ends
 * again in the meantime is not taken twice.
 */
async function makeDue(meant: ReturnType<typeof windowOf>, { since, until }: Window): Promise<number> {
  const { guildId, webhookId } = meant;
  const now = clock.epochMs();
  let before = deliveryIdAt(until);
  let made = 0;
  for (let minute = 0; minute * replaysAMinute < mostReplayed; minute += 1) {
    const some = await Deliveries.acrossGuilds
      .find({ ...meant, _id: trusted({ $gte: deliveryIdAt(since), $lt: before }) }, { _id: 1, state: 1 })
      .sort({ _id: -1 })
      .limit(replaysAMinute)
      .hint(deliveryListIndex)
      .lean<{ _id: string }[]>();
    const last = some.at(-1);
    if (last === undefined) break;
    const finished = { guildId, state: trusted({ $in: ['succeeded', 'failed'] as const }) };
    const among = { ...finished, _id: trusted({ $in: some.map(({ _id }) => _id) }) };
    const due = dueAgain(new Date(now + minute * minuteMs));
    made += (await Deliveries.acrossGuilds.updateMany(among, due)).modifiedCount;
    before = last._id;
  }
  wakeDeliveries([webhookId]);
  return made;
}
