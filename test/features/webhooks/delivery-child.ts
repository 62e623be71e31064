import { setTimeout as delay } from 'node:timers/promises';
import { trusted } from 'mongoose';
import { releaseInterrupted } from '../../../src/features/webhooks/delivery-claim.js';
import { wakeDeliveries } from '../../../src/features/webhooks/delivery-job.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { storeDeliveries } from '../../../src/features/webhooks/delivery-store.js';
import { connectDatabase } from '../../../src/platforms/database/connect.js';
import type { OutboxEvent } from '../../../src/platforms/events/outbox.js';
import { buildStage, configureDelivery, stageGuildId as guildId } from './delivery-stage.js';

/**
 * A service's delivery side on the embedded database in a folder. It delivers given events to the receivers in its
 * other arguments. It can be killed at any moment and started again: each time it relays all events, like a relay that
 * was killed before it stored its progress, and then continues.
 */
const [dataDir = '', count = '0', ...urls] = process.argv.slice(2);

const happenedAt = new Date('2026-01-01T00:00:00.000Z');
const batch = 500;
const open = { nextAttemptAt: trusted({ $exists: true }) };
const report = (text: string) => process.send?.(text);

/** The same event each time. */
function eventOf(index: number): OutboxEvent {
  const data = { reason: `Reason ${index} ☂`, suspendedAt: happenedAt.toISOString() };
  const id = `evt_${String(index).padStart(24, '0')}`;
  return { id, event: 'guild.suspended', createdAt: happenedAt, guildId, data };
}

configureDelivery(dataDir);
await connectDatabase({ uri: '', dataDir });
const endpoints = await buildStage(urls);

// Deliveries under way at the kill: only these may be received twice.
const left = await Deliveries.find({ guildId, ...open, lease: trusted({ $exists: true }) });
report(`left ${left.map(({ _id }) => _id).join(' ')}`);
await releaseInterrupted();
wakeDeliveries(endpoints.map(({ _id }) => _id));
const events = Array.from({ length: Number(count) }, (_, index) => eventOf(index));
for (let start = 0; start < events.length; start += batch) {
  await storeDeliveries(events.slice(start, start + batch), async () => endpoints);
}
do await delay(50);
while ((await Deliveries.count({ guildId, ...open })) > 0);
report(`delivered ${await Deliveries.count({ guildId, state: 'succeeded' })}`);
