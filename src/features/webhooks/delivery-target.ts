import { findGuild } from '../../core/guilds/guild-service.js';
import { endOfEndpoint, expireHeld } from './delivery-claim.js';
import type { Attempt } from './delivery-model.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';
import { disableEndpoint, noteEndpointResult } from './endpoint-results.js';
import { deliverableEndpoints } from './endpoint-service.js';

/** An endpoint that may be delivered to. */
export interface DeliveryTarget {
  /** As it was read, and as the attempts since have found it. */
  endpoint: WebhookEndpoint;
  /** Its guild is suspended since then: what happened later is held. */
  suspendedAt?: Date;
}

/**
 * Ends the deliveries of an endpoint that cannot be made any more: all when it is removed, those that have been held
 * for 24 hours else. @returns the endpoint's guild, null when it is removed.
 */
export async function endImpossible(webhookId: string, now: Date): Promise<string | null> {
  const endpoint = await WebhookEndpoints.acrossGuilds.findOne({ _id: webhookId }).lean<WebhookEndpoint | null>();
  await (endpoint === null ? endOfEndpoint(webhookId, now) : expireHeld(webhookId, now));
  return endpoint?.guildId ?? null;
}

/** The endpoint, if deliveries may go to it now. Null while it is turned off, or paused by its guild's plan. */
export async function readTarget(guildId: string, webhookId: string): Promise<DeliveryTarget | null> {
  const guild = await findGuild(guildId);
  const deliverable = guild === null ? [] : await deliverableEndpoints(guild);
  const endpoint = deliverable.find(({ _id }) => _id === webhookId);
  if (endpoint === undefined) return null;
  return { endpoint, ...(guild?.suspension && guild.state === 'suspended' && { suspendedAt: guild.suspension.at }) };
}

/** Notes with the endpoint how an attempt ended: one that says that it is gone, or fails for days, is turned off. */
export async function noteResult(target: DeliveryTarget, { outcome, status }: Attempt, at: Date): Promise<void> {
  const { endpoint } = target;
  const succeeded = outcome === 'succeeded';
  // Other attempts that go by the same reading need not note the same again.
  const { failingSince = at, ...rest } = endpoint;
  target.endpoint = succeeded ? { ...rest, lastSuccessAt: at } : { ...rest, failingSince, lastFailureAt: at };
  await noteEndpointResult(endpoint, succeeded, at);
  if (status === 410) await disableEndpoint(endpoint, 'gone');
}
