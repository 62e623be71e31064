import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { timestamp } from '../../lib/fields.js';
import { hourMs } from '../../lib/time.js';
import { eventName } from '../../platforms/events/event-types.js';
import { Deliveries, type DeliveryState, deliveryIdAt, deliveryListIndex, deliveryStates } from './delivery-model.js';
import { WebhookEndpoints } from './endpoint-model.js';
import { getEndpoint } from './endpoint-service.js';

const count = z.int().nonnegative();
const counts = { succeeded: count, failed: count, open: count.describe('Not made yet, or to be made again.') };
const hoursShown = 24;

/** An endpoint's delivery outcomes in 24 hours (HOOK-9). */
export const deliveryStatisticsView = z
  .strictObject({
    total: z.strictObject(counts),
    series: z
      .array(z.strictObject({ at: timestamp.describe('When the hour begins.'), ...counts }))
      .length(hoursShown)
      .describe('By the hour in which each was made, oldest first; the last one is under way.'),
  })
  .meta({ id: 'DeliveryStatistics' });
type Statistics = z.input<typeof deliveryStatisticsView>;

/** The same for each endpoint in a guild. */
export const statisticsOfAllView = z.strictObject({
  data: z.array(deliveryStatisticsView.extend({ webhookId: z.string() }).meta({ id: 'WebhookStatistics' })),
});

/**
 * Leading hex digits in an id's time. The last one counts 16 s, of which an hour has 225, so the index alone gives the
 * hour.
 */
const digitsOfSlot = 7;
const slotMs = 16_000;

/**
 * An endpoint's delivery outcomes in the last 24 hours, including the current hour. Throws NotFound
 * `webhook_not_found`.
 */
export async function readStatistics(guildId: string, webhookId: string): Promise<Statistics> {
  await getEndpoint(guildId, webhookId);
  const first = firstHour();
  return summed(first, await countSlots([webhookId], first));
}

/** As `readStatistics`, for each endpoint in a guild, the oldest first, by one command for all. */
export async function readStatisticsOfAll(guildId: string): Promise<z.input<typeof statisticsOfAllView>> {
  const endpoints = await WebhookEndpoints.find({ guildId }, { sort: { _id: 1 }, hint: { guildId: 1, _id: 1 } });
  const ids = endpoints.map(({ _id }) => _id);
  const first = firstHour();
  const slots = await countSlots(ids, first);
  const of = (id: string) => slots.filter(({ webhookId }) => webhookId === id);
  return { data: ids.map((webhookId) => ({ webhookId, ...summed(first, of(webhookId)) })) };
}

/** The number of the hour with which the 24 hours begin. */
const firstHour = (): number => Math.floor(clock.epochMs() / hourMs) - hoursShown + 1;

function summed(first: number, slots: readonly Slot[]): Statistics {
  const hours = Array.from({ length: hoursShown }, (_, index) => {
    const at = new Date((first + index) * hourMs).toISOString();
    return { at, succeeded: 0, failed: 0, open: 0 };
  });
  const total = { succeeded: 0, failed: 0, open: 0 };
  for (const { slot, state, count } of slots) {
    const hour = hours[Math.floor((Number.parseInt(slot, 16) * slotMs) / hourMs) - first];
    const name = state === 'succeeded' || state === 'failed' ? state : 'open';
    // A process with a fast clock can store an id in the future.
    if (hour === undefined) continue;
    hour[name] += count;
    total[name] += count;
  }
  return { total, series: hours };
}

interface Slot {
  webhookId: string;
  slot: string;
  state: DeliveryState;
  count: number;
}

/** Read from the index alone, which each state and event is named for. */
async function countSlots(webhookIds: readonly string[], firstHour: number): Promise<Slot[]> {
  const since = deliveryIdAt(new Date(firstHour * hourMs));
  const named = { state: { $in: [...deliveryStates] }, event: { $in: [...eventName.options] } };
  return Deliveries.acrossGuilds
    .aggregate<Slot>([
      { $match: { webhookId: { $in: webhookIds }, ...named, _id: { $gte: since } } },
      { $project: { webhookId: 1, state: 1, slot: { $substrCP: ['$_id', 'dlv_'.length, digitsOfSlot] } } },
      { $group: { _id: { webhookId: '$webhookId', slot: '$slot', state: '$state' }, count: { $sum: 1 } } },
      { $project: { _id: 0, webhookId: '$_id.webhookId', slot: '$_id.slot', state: '$_id.state', count: 1 } },
    ])
    .hint(deliveryListIndex)
    .exec();
}
