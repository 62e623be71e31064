import { Schema } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';
import type { EventName } from '../../platforms/events/event-types.js';

/** A secret of an endpoint, encrypted. `validUntil` is null for the newest, which has no end. */
export interface SealedSecret {
  sealed: string;
  /** The first 12 hex digits of the secret's SHA-256: distinguishes secrets without revealing them. */
  fingerprint: string;
  createdAt: Date;
  validUntil: Date | null;
}

/** Where a guild's events are delivered to (SPEC §7). */
export interface WebhookEndpoint {
  /** `whk_` + 24 hex digits, which sort by age to the second. */
  _id: string;
  guildId: string;
  /** The address, in the one spelling of the URL standard. */
  url: string;
  events: EventName[];
  description: string | null;
  enabled: boolean;
  /** Why Rolelink turned it off: it answered 410, or failed for five days. Removed when it is turned on. */
  disabledReason?: 'gone' | 'failing';
  /** Newest first; all that are in force sign. */
  secrets: SealedSecret[];
  createdAt: Date;
  updatedAt: Date;
  /** Exact to the minute, so that a busy endpoint costs no write for each delivery. */
  lastSuccessAt?: Date;
  lastFailureAt?: Date;
  /** The first failure since the last success. */
  failingSince?: Date;
}

const schema = new Schema<WebhookEndpoint>(
  {
    _id: { type: String, required: true },
    guildId: { type: String, required: true },
    url: { type: String, required: true },
    events: { type: [String], required: true },
    description: { type: String, default: null },
    enabled: { type: Boolean, required: true },
    disabledReason: String,
    secrets: {
      type: [
        { sealed: String, fingerprint: String, createdAt: Date, validUntil: { type: Date, default: null }, _id: false },
      ],
      required: true,
    },
    createdAt: { type: Date, required: true },
    updatedAt: { type: Date, required: true },
    lastSuccessAt: Date,
    lastFailureAt: Date,
    failingSince: Date,
  },
  { collection: 'webhook_endpoints', versionKey: false },
);
// The endpoints of a guild: every event that happens there, and GET …/webhooks in the order of their age.
schema.index({ guildId: 1, _id: 1 });

export const WebhookEndpoints = new GuildModel<WebhookEndpoint>('WebhookEndpoint', schema);
