import { model } from 'mongoose';
import { z } from 'zod';
import { minuteMs, secondMs } from '../../../src/lib/time.js';
import { pending } from '../../../src/platforms/database/pending.js';
import { schemaOf } from '../../../src/platforms/database/schema-of.js';

/** A thing with three kinds of pending work, as features have them. */
const itemFields = z.strictObject({
  _id: z.string(),
  group: z.string(),
  /** Times that its work was done. */
  done: z.int().default(0),
  failures: z.int().default(0),
  dueAt: z.date().exactOptional(),
  message: z.strictObject({ id: z.string(), dueAt: z.date() }).exactOptional(),
});
export type Item = z.output<typeof itemFields>;

const schema = schemaOf<Item>('test_pending_items', itemFields);
schema.index({ dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } });
schema.index({ group: 1, dueAt: 1 }, { partialFilterExpression: { dueAt: { $exists: true } } });
schema.index({ 'message.dueAt': 1 }, { partialFilterExpression: { 'message.dueAt': { $exists: true } } });
export const Items = model<Item>('TestPendingItem', schema);

export const claimMs = minuteMs;
export const backoff = { firstMs: 10 * secondMs, longestMs: 60 * minuteMs };

/** The longest due goes first. */
export const plain = pending<Item>(Items, 'dueAt', { what: 'test: plain', index: { dueAt: 1 }, claimMs, backoff });
/** The groups take turns. */
export const fair = pending<Item>(Items, 'dueAt', {
  what: 'test: fair',
  index: { group: 1, dueAt: 1 },
  claimMs,
  fairBy: 'group',
});
/** The work has its own id. */
export const named = pending<Item, Item & Required<Pick<Item, 'message'>>>(Items, 'message.dueAt', {
  what: 'test: named',
  index: { 'message.dueAt': 1 },
  claimMs,
  identity: 'message.id',
});

/** Stores this many items with plain work that is due, in as many groups. @returns their ids. */
export async function storeItems(count: number, { groups = 1 } = {}): Promise<string[]> {
  const items = Array.from({ length: count }, (_, n) => ({
    ...{ _id: `item-${String(n).padStart(5, '0')}`, group: `group-${String(n % groups).padStart(3, '0')}` },
    dueAt: new Date(n + 1),
  }));
  await Items.insertMany(items);
  return items.map(({ _id }) => _id);
}

/** Claims and completes plain work until none is due. @returns how much. */
export async function workOff(): Promise<number> {
  let done = 0;
  for (let item = await plain.claimNext(); item !== null; item = await plain.claimNext())
    if (await plain.complete(item, { $inc: { done: 1 } })) done += 1;
  return done;
}
