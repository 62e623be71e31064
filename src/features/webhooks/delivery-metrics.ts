import { LRUCache } from 'lru-cache';
import { trusted } from 'mongoose';
import { Counter, Histogram } from 'prom-client';
import { clock } from '../../lib/clock.js';
import { metrics } from '../../lib/metrics.js';
import { nextDueByEndpoint } from './delivery-claim.js';
import { type Attempt, type AttemptOutcome, attemptOutcomes, Deliveries, deliveryListIndex } from './delivery-model.js';

/** How many endpoints /metrics lists: those delivered to last. Without a limit, each would cost memory for ever. */
const endpointsTold = 1_000;

const attemptsByOutcome = new Counter({
  name: 'rolelink_webhook_attempts_total',
  help: 'Attempts to deliver a webhook, by how they ended.',
  labelNames: ['outcome'],
  registers: [metrics],
});
// Prometheus sees no increase in a series that begins with 1.
for (const outcome of attemptOutcomes) attemptsByOutcome.inc({ outcome }, 0);

const attemptDuration = new Histogram({
  name: 'rolelink_webhook_attempt_duration_seconds',
  help: 'Time from the start of a webhook request to the end of its answer or its failure.',
  labelNames: ['result'],
  buckets: [0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
  registers: [metrics],
});

const attemptsByEndpoint = new Counter({
  name: 'rolelink_webhook_endpoint_attempts_total',
  help: `Attempts by endpoint, of the ${endpointsTold} endpoints that this process delivered to last.`,
  labelNames: ['webhook', 'result'],
  registers: [metrics],
});

const results = ['succeeded', 'failed'] as const;

/** The listed endpoints. One that drops out is no longer reported, and starts at zero when it comes back. */
const reported = new LRUCache<string, true>({
  max: endpointsTold,
  dispose: (_, webhook) => {
    for (const result of results) attemptsByEndpoint.remove({ webhook, result });
  },
});

/** Attempts by this process since its start. */
const counts = Object.fromEntries(attemptOutcomes.map((outcome) => [outcome, 0])) as Record<AttemptOutcome, number>;

/** Counts an attempt by this process after it ended. */
export function countAttempt(
  webhookId: string,
  { outcome, latencyMs = 0 }: Pick<Attempt, 'outcome' | 'latencyMs'>,
): void {
  const result = outcome === 'succeeded' ? 'succeeded' : 'failed';
  counts[outcome] += 1;
  attemptsByOutcome.inc({ outcome });
  attemptDuration.observe({ result }, latencyMs / 1000);
  reported.set(webhookId, true);
  attemptsByEndpoint.inc({ webhook: webhookId, result });
}

/** Open deliveries of all processes, including held ones: never attempted yet, and waiting for a retry. */
export async function openDeliveries(): Promise<{ pending: number; retrying: number }> {
  const [pending, retrying] = await Promise.all([countOpen('pending'), countOpen('retrying')]);
  return { pending, retrying };
}

/** Reads the index once for each endpoint, and counts its entries. */
function countOpen(state: 'pending' | 'retrying'): Promise<number> {
  return Deliveries.acrossGuilds
    .countDocuments({ webhookId: trusted({ $gt: '' }), state })
    .hint(deliveryListIndex)
    .exec();
}

/** How many seconds the oldest due delivery of all processes has been due; 0 when none is. */
export async function oldestDueSeconds(now: Date = clock.now()): Promise<number> {
  const [oldest] = await nextDueByEndpoint();
  return oldest ? Math.max(0, (now.getTime() - oldest.dueAt.getTime()) / 1000) : 0;
}

/** How this process's attempts ended since its start: for GET /api/admin/metrics. */
export function attemptCounts(): Readonly<Record<AttemptOutcome, number>> {
  return { ...counts };
}
