import type { Dispatcher } from 'undici';
import { logger } from '../../lib/logger.js';
import { traced } from '../../lib/traced.js';
import { type AttemptResult, attemptDelivery } from './delivery-attempt.js';
import { type ClaimedDelivery, exhausted, settleDelivery, type Verdict } from './delivery-claim.js';
import { countAttempt } from './delivery-metrics.js';
import type { Attempt } from './delivery-model.js';
import { type DeliveryTarget, noteResult } from './delivery-target.js';
import { SecretUnreadable, signingSecrets } from './endpoint-secrets.js';
import { nextAttemptAt } from './retry-schedule.js';
import { agentHeader, signaturesOf, signedHeaders } from './signature.js';

export interface SendingTools {
  dispatcher: Dispatcher;
  now(): Date;
  /** Time for one attempt; 10 s when left out. */
  limitMs?: number;
}

/** Makes the claimed attempt and stores its outcome. @returns the attempt, and the decision about the delivery. */
export async function sendDelivery(
  claimed: ClaimedDelivery,
  target: DeliveryTarget,
  tools: SendingTools,
): Promise<{ attempt: Attempt; verdict: Verdict }> {
  const at = tools.now();
  const attributes = { 'rolelink.event': claimed.event, 'rolelink.attempt': claimed.attemptCount };
  const { retryAfterMs, ...result } = await traced({ name: 'deliver', kind: 'internal', attributes }, async (span) => {
    const sent = await send(claimed, target, at, tools).catch((error: unknown) => notSent(claimed, error));
    span?.note({ 'rolelink.outcome': sent.outcome });
    return sent;
  });
  const endedAt = tools.now();
  const attempt: Attempt = { n: claimed.attemptCount, at, ...result };
  const verdict = verdictOn(claimed, attempt, retryAfterMs, endedAt);
  await settleDelivery(claimed, attempt, verdict, endedAt);
  countAttempt(claimed.webhookId, attempt);
  if (!isOurFault(attempt)) await noteResult(target, attempt, endedAt);
  return { attempt, verdict };
}

async function send(
  { _id: deliveryId, eventId, event, kind, body: text }: ClaimedDelivery,
  { endpoint }: DeliveryTarget,
  at: Date,
  { dispatcher, limitMs }: SendingTools,
): Promise<AttemptResult & Pick<Attempt, 'signatures'>> {
  const body = Buffer.from(text);
  const secrets = await signingSecrets(endpoint, at);
  const signed = { event, deliveryId, eventId, body, secrets, at, test: kind === 'test' };
  const signatures = signaturesOf(signed);
  const headers = { ...signedHeaders(signed, signatures), ...agentHeader };
  const limit = limitMs === undefined ? {} : { limitMs };
  return { ...(await attemptDelivery({ url: endpoint.url, headers, body, dispatcher, ...limit })), signatures };
}

/** The receiver has nothing to do with it, and can't be turned off for it. */
const isOurFault = ({ outcome }: Attempt): boolean => outcome === 'interrupted' || outcome === 'not_sent';

/** A claimed attempt that came to nothing before the request: a failure like others, so that it is tried later and later. */
function notSent({ _id: deliveryId, webhookId }: ClaimedDelivery, err: unknown): AttemptResult {
  logger.error({ err, deliveryId, webhookId }, 'delivery not sent');
  // Other people than the endpoint's owner read this, so our own faults are not quoted.
  const error = err instanceof SecretUnreadable ? err.message : 'Rolelink failed to send it.';
  return { outcome: 'not_sent', error, latencyMs: 0 };
}

function verdictOn(
  { once, firstAttemptAt, attempts }: ClaimedDelivery,
  { outcome, status }: Attempt,
  retryAfterMs: number | undefined,
  now: Date,
): Verdict {
  if (outcome === 'succeeded') return { state: 'succeeded' };
  // Our own stop is no fault in the receiver, neither now nor in an earlier attempt.
  if (outcome === 'interrupted') return { state: 'retrying', nextAttemptAt: now };
  if (once) return { state: 'failed', failureReason: 'not_retried' };
  const failed = attempts.filter((earlier) => earlier.outcome !== 'interrupted').length + 1;
  const random = Math.random();
  const next = nextAttemptAt({ attempt: failed, firstAttemptAt, now, outcome, status, retryAfterMs, random });
  return next === null ? exhausted : { state: 'retrying', nextAttemptAt: next };
}
