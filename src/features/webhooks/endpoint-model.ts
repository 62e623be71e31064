import { Schema } from 'mongoose';
import { GuildModel } from '../../platforms/database/guild-model.js';
import type { EventName } from '../../platforms/events/event-types.js';

/** A secret of an endpoint, encrypted. `validUntil` is null for the newest, which has no end. */
export interface SealedSecret {
  sealed: string;
  /** The first 12 hex digits of the secret's SHA-256: tells secrets apart and gives none of them away. */
  fingerprint: string;
  createdAt: Date;
  validUntil: Date | null;
}

/** Where a guild has its events delivered to (SPEC §7). */
export interface WebhookEndpoint {
  /** `whk_` + 24 hex digits, which sort by age to the second. */
  _id: string;
  guildId: string;
  /** Where to, in the one spelling that the URL standard gives it. */
  url: string;
  events: EventName[];
  description: string | null;
  enabled: boolean;
  /** Why Rolelink turned it off itself: it answered 410, or failed for five days. Cleared by enabling it. */
  disabledReason?: 'gone' | 'failing';
  /** Newest first; all in force sign. */
  secrets: SealedSecret[];
  createdAt: Date;
  updatedAt: Date;
  /** To the minute, so that a busy endpoint does not cost a write for each delivery. */
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
