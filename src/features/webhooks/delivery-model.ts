import { z } from 'zod';
import { dayMs } from '../../lib/time.js';
import { declareDueTime } from '../../platforms/database/due-times.js';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { eventName } from '../../platforms/events/event-types.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

export const deliveryStates = ['pending', 'retrying', 'succeeded', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/**
 * An attempt's outcome. `http_error`: a status that is neither 2xx nor 3xx. `reset`: the connection broke before the
 * whole answer arrived. `invalid_answer`: the answer was not HTTP.
 * `not_sent`: our own fault, for example an unreadable secret, prevented the request. `interrupted`: our own process
 * ended, and the receiver may or may not have the delivery.
 */
export const attemptOutcomes = [
  'succeeded',
  'http_error',
  'redirect',
  'timeout',
  'refused',
  'reset',
  'unreachable',
  'dns',
  'tls',
  'forbidden_target',
  'invalid_answer',
  'other',
  'not_sent',
  'interrupted',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

const count = z.int().nonnegative();

/** One request to the receiver, as it ended. */
export const attemptFields = z.strictObject({
  /** Its number, from 1. */
  n: z.int().positive(),
  at: z.date(),
  outcome: z
    .enum(attemptOutcomes)
    .describe(
      'http_error: a status beside 2xx and 3xx; reset: the connection broke; not_sent: Rolelink could not send it, `error` says why; interrupted: Rolelink itself stopped, and made the attempt again',
    ),
  status: z.int().exactOptional().describe('Of the answer; null when there was none'),
  latencyMs: count.exactOptional().describe('To the end of the answer or the failure'),
  responseBody: z.string().exactOptional().describe("The first 4 KiB of the answer's body, as text"),
  error: z.string().exactOptional().describe("The network's error message"),
  /** For this attempt, by the secrets that were in force (HOOK-3, HOOK-4). Missing where nothing was sent. */
  signatures: z.strictObject({ link: z.string(), standard: z.string() }).exactOptional(),
});
export type Attempt = z.output<typeof attemptFields>;

/** Why a delivery failed: tried for 24 h, asked for only once, held for 24 h, endpoint removed. */
const failureReasons = ['attempts_exhausted', 'not_retried', 'expired_while_held', 'endpoint_removed'] as const;
export type FailureReason = (typeof failureReasons)[number];

/** One event on its way to one endpoint. */
export const deliveryFields = z.strictObject({
  /** `dlv_` + 24 hex digits, which sort by age to the second. */
  _id: z.string(),
  guildId: z.string(),
  webhookId: z.string(),
  eventId: z.string().describe('The same for each endpoint that the event goes to'),
  event: eventName,
  /** When the event happened. Events after a suspension are held. */
  eventAt: z.date(),
  chatUserId: z.string().exactOptional(),
  /** Whether the person was erased since: it is not sent again. */
  personErased: z.literal(true).exactOptional(),
  /** A `test` was asked for by hand; nothing has happened. */
  kind: z.enum(['event', 'test']),
  /** The signed and sent bytes, the same in every attempt. */
  body: z.string(),
  state: z.enum(deliveryStates),
  /** The attempts that have ended, at most the last 50. */
  attempts: z.array(attemptFields),
  /**
   * How many attempts have begun. Stored before the request goes out; it fences off a process that lost the delivery.
   */
  attemptCount: count.describe('Attempts begun so far'),
  /** Not retried: a test, or a redelivery by hand. */
  once: z.boolean().exactOptional(),
  /** When it is next due; during an attempt, when the attempt counts as lost. Absent once the delivery is over. */
  nextAttemptAt: z.date().exactOptional().describe('When it is due; null once it is over'),
  /** The attempt under way, or the one that a killed process left. */
  lease: z.strictObject({ since: z.date() }).exactOptional(),
  createdAt: z.date(),
  firstAttemptAt: z.date().exactOptional(),
  completedAt: z.date().exactOptional(),
  failureReason: z
    .enum(failureReasons)
    .exactOptional()
    .describe(
      'attempts_exhausted: tried for 24 hours; not_retried: a test or redelivery; expired_while_held: not delivered within the 24 hours in which it could have been',
    ),
});
export interface Delivery extends z.output<typeof deliveryFields>, WithOutbox {}

const idPrefix = 'dlv_';

/** The least delivery id stored at a time or later, exact to the second. */
export const deliveryIdAt = (at: Date): string =>
  idPrefix +
  Math.max(0, Math.floor(at.getTime() / 1000))
    .toString(16)
    .padStart(8, '0');

/** The index by which open deliveries are found, endpoint by endpoint; some queries name it as their hint. */
export const openByEndpoint = 'open_by_endpoint';
export const deliveryListIndex = 'list_by_endpoint';

const schema = schemaOf<Delivery>('deliveries', deliveryFields);
// storeDeliveries: an event is delivered to an endpoint once, even when it is relayed repeatedly.
schema.index({ webhookId: 1, eventId: 1 }, { unique: true });
// The worker: which endpoints have something due, and one endpoint's next delivery; its long backlog costs others
// nothing.
schema.index(
  { webhookId: 1, nextAttemptAt: 1 },
  { name: openByEndpoint, partialFilterExpression: { nextAttemptAt: { $exists: true } } },
);
// For GET …/deliveries, newest first by state and event; for redeliver-failed; and for the open deliveries in /metrics.
// State and event are always named, so that pages are merged from the index.
schema.index({ webhookId: 1, state: 1, event: 1, _id: -1 }, { name: deliveryListIndex });

// A person is erased.
schema.index({ chatUserId: 1 }, { partialFilterExpression: { chatUserId: { $exists: true } } });

giveOutbox(schema);

export const Deliveries = new GuildModel<Delivery>('Delivery', schema);
declareDueTime({ model: Deliveries.acrossGuilds, field: 'nextAttemptAt', hint: openByEndpoint, longestMs: dayMs });
