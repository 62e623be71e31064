import { trusted } from 'mongoose';
import { findGuild } from '../../core/guilds/guild-service.js';
import { endOfEndpoint, expireHeld } from './delivery-claim.js';
import type { Attempt } from './delivery-model.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';
import { disableEndpoint, noteEndpointResult } from './endpoint-results.js';
import { deliverableEndpoints } from './endpoint-service.js';

/** An endpoint that may be delivered to now. */
export interface DeliveryTarget {
  /** As it was read, updated by the attempts since. */
  endpoint: WebhookEndpoint;
  /** Since when its guild is suspended: later events are held. */
  suspendedAt?: Date;
}

/**
 * Ends deliveries that can no longer be made: all a removed endpoint has, otherwise those held for 24 hours.
 * @returns the endpoint's guild, null when the endpoint is removed.
 */
export async function endImpossible(webhookId: string, now: Date): Promise<string | null> {
  const which = { _id: webhookId, removedAt: trusted({ $exists: false }) };
  const endpoint = await WebhookEndpoints.acrossGuilds.findOne(which).lean<WebhookEndpoint | null>();
  await (endpoint === null ? endOfEndpoint(webhookId, now) : expireHeld(webhookId, now));
  return endpoint?.guildId ?? null;
}

/** The endpoint, if it may be delivered to now; null while it is off, or paused by its guild's plan. */
export async function readTarget(guildId: string, webhookId: string): Promise<DeliveryTarget | null> {
  const guild = await findGuild(guildId);
  const deliverable = guild === null ? [] : await deliverableEndpoints(guild);
  const endpoint = deliverable.find(({ _id }) => _id === webhookId);
  if (endpoint === undefined) return null;
  return { endpoint, ...(guild?.suspension && guild.state === 'suspended' && { suspendedAt: guild.suspension.at }) };
}

/** Notes an attempt's result with the endpoint. One that answers "gone", or fails for days, is turned off. */
export async function noteResult(target: DeliveryTarget, { outcome, status }: Attempt, at: Date): Promise<void> {
  const { endpoint } = target;
  const succeeded = outcome === 'succeeded';
  // Other attempts with the same reading need not note the same again.
  const { failingSince = at, ...rest } = endpoint;
  target.endpoint = succeeded ? { ...rest, lastSuccessAt: at } : { ...rest, failingSince, lastFailureAt: at };
  await noteEndpointResult(endpoint, succeeded, at);
  if (status === 410) await disableEndpoint(endpoint, 'gone');
}
