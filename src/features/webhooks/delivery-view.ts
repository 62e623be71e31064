import { z } from 'zod';
import { shownFields } from '../../lib/shown-fields.js';
import { type Attempt, attemptFields, type Delivery, deliveryFields } from './delivery-model.js';
import { agentHeader, signedHeaders } from './signature.js';

const shownAttempt = shownFields(attemptFields.omit({ n: true, signatures: true }));
const shownDelivery = shownFields(
  deliveryFields.omit({
    guildId: true,
    eventAt: true,
    chatUserId: true,
    personErased: true,
    kind: true,
    body: true,
    attempts: true,
    once: true,
    lease: true,
    firstAttemptAt: true,
  }),
  'deliveryId',
);

/** One attempt to deliver (HOOK-13). */
export const attemptView = shownAttempt.view
  .extend({ attempt: attemptFields.shape.n.describe('Its number, from 1') })
  .meta({ id: 'DeliveryAttempt' });

const attemptDetailView = attemptView
  .extend({
    requestHeaders: z
      .array(
        z.strictObject({
          name: z.string().describe("The header's name."),
          value: z.string().describe("The header's value."),
        }),
      )
      .nullable()
      .describe('With the signatures; null where nothing was sent, and for attempts of an older version'),
  })
  .meta({ id: 'DeliveryAttemptDetail' });

export const deliveryView = shownDelivery.view
  .extend({ test: z.boolean(), lastAttempt: attemptView.omit({ responseBody: true }).nullable() })
  .meta({ id: 'Delivery' });

export const deliveryDetailView = deliveryView
  .omit({ lastAttempt: true })
  .extend({
    attempts: z.array(attemptDetailView).describe('The kept attempts, the first one first.'),
    body: z.string().describe('The JSON text, byte for byte as it is sent'),
  })
  .meta({ id: 'DeliveryDetail' });

export function viewDelivery(delivery: Delivery): z.input<typeof deliveryView> {
  const last = delivery.attempts.at(-1);
  return { ...commonView(delivery), lastAttempt: last ? withoutBody(viewAttempt(last)) : null };
}

export function viewDeliveryDetail(delivery: Delivery): z.input<typeof deliveryDetailView> {
  return {
    ...commonView(delivery),
    attempts: delivery.attempts.map((attempt) => viewAttemptDetail(delivery, attempt)),
    body: delivery.body,
  };
}

export function viewAttempt(attempt: Attempt): z.input<typeof attemptView> {
  return { attempt: attempt.n, ...shownAttempt.show(attempt) };
}

function viewAttemptDetail(delivery: Delivery, attempt: Attempt): z.input<typeof attemptDetailView> {
  const { _id: deliveryId, event, eventId, kind } = delivery;
  const { at, signatures } = attempt;
  const sent = signatures && signedHeaders({ event, deliveryId, eventId, at, test: kind === 'test' }, signatures);
  const requestHeaders = sent
    ? Object.entries({ ...sent, ...agentHeader }).map(([name, value]) => ({ name, value }))
    : null;
  return { ...viewAttempt(attempt), requestHeaders };
}

function withoutBody({ responseBody: _, ...rest }: z.input<typeof attemptView>) {
  return rest;
}

function commonView(delivery: Delivery) {
  return { ...shownDelivery.show(delivery), test: delivery.kind === 'test' };
}
