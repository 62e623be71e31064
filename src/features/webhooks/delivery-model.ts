import { Schema } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';
import type { EventName } from '../../platforms/events/event-types.js';

export const deliveryStates = ['pending', 'retrying', 'succeeded', 'failed'] as const;
export type DeliveryState = (typeof deliveryStates)[number];

/**
 * How an attempt ended. `http_error`: a status that is neither 2xx nor 3xx. `reset`: the connection broke before the
 * whole answer arrived. `invalid_answer`: the answer was not HTTP. `interrupted`: our own process ended meanwhile, and
 * whether the receiver got the delivery is not known.
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
  'interrupted',
] as const;
export type AttemptOutcome = (typeof attemptOutcomes)[number];

/** One request to the receiver, as it ended. */
export interface Attempt {
  /** From 1. */
  n: number;
  at: Date;
  outcome: AttemptOutcome;
  /** From the start of the request to the end of the answer or the failure; absent when interrupted. */
  latencyMs?: number;
  /** The status of the answer, if there was one. */
  status?: number;
  /** The first 4 KiB of the answer's body, as text. */
  responseBody?: string;
  /** The network's error message. */
  error?: string;
}

/** Why a delivery failed: tried for 24 h, asked for only once, held for 24 h, endpoint removed. */
export const failureReasons = ['attempts_exhausted', 'not_retried', 'expired_while_held', 'endpoint_removed'] as const;
export type FailureReason = (typeof failureReasons)[number];

/** One event on its way to one endpoint. */
export interface Delivery {
  /** `dlv_` + 24 hex digits, which sort by age to the second. */
  _id: string;
  guildId: string;
  webhookId: string;
  eventId: string;
  event: EventName;
  /** When the event happened. Events after a suspension are held. */
  eventAt: Date;
  /** A `test` was asked for by hand; nothing has happened. */
  kind: 'event' | 'test';
  /** The signed and sent bytes, the same in every attempt. */
  body: string;
  state: DeliveryState;
  /** The attempts that have ended, at most the last 50. */
  attempts: Attempt[];
  /**
   * The number of attempts begun. Stored before the request goes out; it fences off a process that lost the delivery.
   */
  attemptCount: number;
  /** Not retried: a test, or a redelivery by hand. */
  once?: boolean;
  /** When it is next due; during an attempt, when the attempt counts as lost. Absent once the delivery is over. */
  nextAttemptAt?: Date;
  /** The attempt under way, or the one that a killed process left. */
  lease?: { since: Date };
  createdAt: Date;
  firstAttemptAt?: Date;
  completedAt?: Date;
  failureReason?: FailureReason;
}

/** The index by which open deliveries are found, endpoint by endpoint; some queries name it as their hint. */
export const openByEndpoint = 'open_by_endpoint';
/** The index for lists and counts of deliveries. */
export const deliveryListIndex = 'list_by_endpoint';

const attempt = new Schema<Attempt>(
  {
    n: Number,
    at: Date,
    outcome: String,
    latencyMs: Number,
    status: Number,
    responseBody: String,
    error: String,
  },
  { _id: false },
);

const schema = new Schema<Delivery>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, required: true },
    webhookId: { type: String, required: true },
    eventId: { type: String, required: true },
    event: { type: String, required: true },
    eventAt: { type: Date, required: true },
    kind: { type: String, required: true },
    body: { type: String, required: true },
    state: { type: String, required: true },
    attempts: { type: [attempt], required: true },
    attemptCount: { type: Number, required: true },
    once: Boolean,
    nextAttemptAt: Date,
    lease: { type: { since: Date }, _id: false },
    createdAt: { type: Date, required: true },
    firstAttemptAt: Date,
    completedAt: Date,
    failureReason: String,
  },
  { collection: 'deliveries', versionKey: false },
);
// storeDeliveries: an event is delivered to an endpoint once, however often it is relayed.
schema.index({ webhookId: 1, eventId: 1 }, { unique: true });
// The worker: which endpoints have something due, and the next delivery of one; a long backlog of one costs others nothing.
schema.index(
  { webhookId: 1, nextAttemptAt: 1 },
  { name: openByEndpoint, partialFilterExpression: { nextAttemptAt: { $exists: true } } },
);
// GET …/deliveries, newest first by state and event (each of which is always named, so that pages are merged from the
// index), redeliver-failed, and the numbers of open deliveries in /metrics.
schema.index({ webhookId: 1, state: 1, event: 1, _id: -1 }, { name: deliveryListIndex });

export const Deliveries = new GuildModel<Delivery>('Delivery', schema);
