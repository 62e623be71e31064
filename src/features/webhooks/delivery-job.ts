import { config } from '../../config/config.js';
import { clock } from '../../lib/clock.js';
import { ownShareEveryMs, sharesBot } from '../../platforms/discord/process-share.js';
import { pokeAt, standing } from '../../platforms/jobs/standing.js';
import { insertClaimed, nextDueAfter } from './delivery-claim.js';
import type { Attempt, Delivery } from './delivery-model.js';
import { sendDelivery } from './delivery-sending.js';
import { DeliveryWorker } from './delivery-worker.js';
import type { WebhookEndpoint } from './endpoint-model.js';
import { targetDispatcher } from './target-guard.js';

let running: DeliveryWorker | undefined;

/** Delivers due retries, and twice a minute any delivery that a crash left. */
export const deliverWebhooks = standing({
  name: 'deliver-webhooks',
  everyMs: 30_000,
  atStart: true,
  async run() {
    if (!deliveriesAreLive()) return;
    const since = clock.now();
    await worker().wakeAllDue();
    // Among several times the earliest is kept, so each run adds the one that follows.
    const next = await nextDueAfter(since);
    if (next !== null) wakeForRetry(next);
  },
});

/** Delivers everything due for this process's guilds that another process has stored. */
standing({
  name: 'deliver-own-webhooks',
  everyMs: ownShareEveryMs,
  atStart: false,
  inEachProcess: true,
  async run() {
    if (sharesBot() && deliveriesAreLive()) await worker().wakeAllDue();
  },
});

/** Retries that are due close together share a wake-up, so that the job runs at most ten times a second. */
const wakeUpsEveryMs = 100;
const wakeUpFor = (due: Date): Date => new Date(Math.ceil(due.getTime() / wakeUpsEveryMs) * wakeUpsEveryMs);

/** Whether deliveries go out, or are held since an operator has set WEBHOOK_DELIVERY=held (HOOK-23). */
export const deliveriesAreLive = (): boolean => config().webhookDelivery === 'live';

/** Wakes this process to deliver soon for these endpoints. The job recovers a wake-up that is lost. */
export function wakeDeliveries(webhookIds: Iterable<string>): void {
  if (!deliveriesAreLive()) return;
  for (const webhookId of new Set(webhookIds)) worker().wake(webhookId);
}

/** Stores a delivery and makes its one attempt now. @returns how that ended. */
export async function sendAtOnce(delivery: Delivery, endpoint: WebhookEndpoint): Promise<Attempt> {
  const claimed = await insertClaimed({ ...delivery, once: true }, clock.now());
  const dispatcher = targetDispatcher();
  try {
    const { attempt } = await sendDelivery(claimed, { endpoint }, { dispatcher, now });
    return attempt;
  } finally {
    await dispatcher.destroy();
  }
}

/**
 * Starts no more attempts, waits a while for those under way, and breaks off the rest, which the next start repeats.
 */
export async function stopDeliveries(withinMs: number): Promise<void> {
  await running?.stop(withinMs);
  running = undefined;
}

function worker(): DeliveryWorker {
  const connect = (connections: number) => targetDispatcher({ agent: { connections } });
  running ??= new DeliveryWorker({ connect, now, onRetry: wakeForRetry });
  return running;
}

const now = (): Date => clock.now();

/** Delivers again when a retry is due at `at`. */
export const wakeForRetry = (at: Date): void => pokeAt(deliverWebhooks, wakeUpFor(at));
