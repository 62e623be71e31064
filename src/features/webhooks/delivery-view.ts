import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import { eventName } from '../../platforms/events/event-types.js';
import { type Attempt, attemptOutcomes, type Delivery, deliveryStates, failureReasons } from './delivery-model.js';

const count = z.int().nonnegative();

/** One attempt to deliver (SPEC §7). */
export const attemptView = z
  .strictObject({
    attempt: z.int().positive().describe('Its number, from 1'),
    at: timestamp,
    outcome: z
      .enum(attemptOutcomes)
      .describe(
        'http_error: a status beside 2xx and 3xx; reset: the connection broke; interrupted: Rolelink itself stopped, and made the attempt again',
      ),
    status: z.int().nullable().describe('Of the answer; null when there was none'),
    latencyMs: count.nullable().describe('To the end of the answer or the failure'),
    responseBody: z.string().nullable().describe('The first 4 KiB of the answer’s body, as text'),
    error: z.string().nullable().describe('What went wrong, in the network’s words'),
  })
  .meta({ id: 'DeliveryAttempt' });

/** A delivery in lists. */
export const deliveryView = z
  .strictObject({
    deliveryId: z.string(),
    webhookId: z.string(),
    eventId: z.string().describe('The same for each endpoint that the event goes to'),
    event: eventName,
    test: z.boolean(),
    state: z.enum(deliveryStates),
    failureReason: z
      .enum(failureReasons)
      .nullable()
      .describe(
        'attempts_exhausted: tried for 24 hours; not_retried: a test or redelivery; expired_while_held: not delivered within the 24 hours in which it could have been',
      ),
    attemptCount: count.describe('Attempts begun so far'),
    lastAttempt: attemptView.omit({ responseBody: true }).nullable(),
    nextAttemptAt: timestamp.nullable().describe('When it is due; null once it is over'),
    createdAt: timestamp,
    completedAt: timestamp.nullable(),
  })
  .meta({ id: 'Delivery' });

/** A delivery with every attempt and what was sent. */
export const deliveryDetailView = deliveryView
  .omit({ lastAttempt: true })
  .extend({ attempts: z.array(attemptView), body: z.string().describe('The JSON text, byte for byte as it is sent') })
  .meta({ id: 'DeliveryDetail' });

export function viewDelivery(delivery: Delivery): z.input<typeof deliveryView> {
  const last = delivery.attempts.at(-1);
  return { ...commonView(delivery), lastAttempt: last ? withoutBody(viewAttempt(last)) : null };
}

export function viewDeliveryDetail(delivery: Delivery): z.input<typeof deliveryDetailView> {
  return { ...commonView(delivery), attempts: delivery.attempts.map(viewAttempt), body: delivery.body };
}

export function viewAttempt(attempt: Attempt): z.input<typeof attemptView> {
  const { n, at, outcome, status = null, latencyMs = null, responseBody = null, error = null } = attempt;
  return { attempt: n, at: at.toISOString(), outcome, status, latencyMs, responseBody, error };
}

function withoutBody({ responseBody: _, ...rest }: z.input<typeof attemptView>) {
  return rest;
}

function commonView(delivery: Delivery) {
  const { _id: deliveryId, webhookId, eventId, event, kind, state, failureReason = null, attemptCount } = delivery;
  return {
    deliveryId,
    webhookId,
    eventId,
    event,
    test: kind === 'test',
    state,
    failureReason,
    attemptCount,
    nextAttemptAt: delivery.nextAttemptAt?.toISOString() ?? null,
    createdAt: delivery.createdAt.toISOString(),
    completedAt: delivery.completedAt?.toISOString() ?? null,
  };
}
