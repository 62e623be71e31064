import { z } from 'zod';
import { GuildModel } from '../../platforms/database/guild-model.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import { eventName } from '../../platforms/events/event-types.js';
import { giveOutbox, type WithOutbox } from '../../platforms/events/outbox.js';

/** An endpoint's secret, encrypted. `validUntil` is null for the newest, which has no end. */
export const sealedSecret = z.strictObject({
  sealed: z.string(),
  /** Distinguishes secrets without revealing them. */
  fingerprint: z.string().describe("The first 12 hex digits of the SHA-256 of the secret's text"),
  createdAt: z.date(),
  validUntil: z.date().nullable().describe('Null for the newest, which signs until it is rotated'),
});
export type SealedSecret = z.output<typeof sealedSecret>;

/** An endpoint that receives a guild's events (HOOK-8). */
export const endpointFields = z.strictObject({
  /** `whk_` + 24 hex digits, which sort by age to the second. */
  _id: z.string(),
  guildId: z.string(),
  /** The address, in the one spelling of the URL standard. */
  url: z.string(),
  events: z.array(eventName),
  description: z.string().nullable(),
  enabled: z.boolean(),
  disabledReason: z
    .enum(['gone', 'failing'])
    .exactOptional()
    .describe(
      'The reason it was turned off automatically: it answered 410, or failed for five days. Turn it on again with PATCH',
    ),
  /** Newest first; all that are in force sign. */
  secrets: z.array(sealedSecret),
  createdAt: z.date(),
  updatedAt: z.date(),
  // To the minute, so that a busy endpoint does not cost a write for each delivery.
  lastSuccessAt: z.date().exactOptional().describe('To the minute'),
  lastFailureAt: z.date().exactOptional().describe('To the minute'),
  failingSince: z.date().exactOptional().describe('The first failure since the last success'),
});
export interface WebhookEndpoint extends z.output<typeof endpointFields>, WithOutbox {}

const schema = schemaOf<WebhookEndpoint>('webhook_endpoints', endpointFields);
// A guild's endpoints: every event that happens there, and GET …/webhooks by their age.
schema.index({ guildId: 1, _id: 1 });

giveOutbox(schema);

export const WebhookEndpoints = new GuildModel<WebhookEndpoint>('WebhookEndpoint', schema);
