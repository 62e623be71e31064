import type { Guild } from '../../core/guilds/guild-service.js';
import type { HealthFinding } from '../../core/guilds/health-issue.js';
import { plans } from '../../core/plans/plans.js';
import { clock } from '../../lib/clock.js';
import type { WebhookEndpoint } from './endpoint-model.js';
import { canSign } from './endpoint-secrets.js';
import { deliverableOf } from './endpoint-service.js';

/** A failure that is over within this time is no issue: deliveries are tried again. */
const toldAfterMs = 10 * 60_000;

/**
 * Problems with a guild's webhooks: endpoints that were disabled automatically, and more endpoints than the plan
 * allows. `endpoints`: all of the guild's, oldest first.
 */
export async function webhookIssues(guild: Guild, endpoints: readonly WebhookEndpoint[]): Promise<HealthFinding[]> {
  const disabled = endpoints.filter(({ disabledReason }) => disabledReason !== undefined);
  const enabled = endpoints.filter((endpoint) => endpoint.enabled).length;
  const deliverable = deliverableOf(guild, endpoints);
  const delivered = deliverable.length;
  const now = clock.now();
  const failingAt = new Date(now.getTime() - toldAfterMs);
  const signs = await Promise.all(deliverable.map((endpoint) => canSign(endpoint, now)));
  return [
    ...disabled.map(webhookDisabled),
    ...deliverable.filter((_, index) => signs[index] === false).map(secretUnreadable),
    ...deliverable.filter(({ failingSince }) => failingSince && failingSince <= failingAt).map(webhookFailing),
    ...(delivered < enabled ? [webhooksOverPlan(guild, enabled - delivered)] : []),
  ];
}

function webhookDisabled({ _id: webhookId, url, disabledReason: reason = 'failing' }: WebhookEndpoint): HealthFinding {
  const why = reason === 'gone' ? 'it answered that it is gone (410)' : 'it has failed for five days';
  const { host } = new URL(url);
  const detail = `The webhook to ${host} was turned off, as ${why}. Mend it and turn it on, or remove it.`;
  return { code: 'webhook_disabled', detail, webhookId, host, reason };
}

function webhookFailing({ _id: webhookId, url }: WebhookEndpoint): HealthFinding {
  const { host } = new URL(url);
  const detail = `Every delivery to the webhook at ${host} fails. Its deliveries say why; after five days it is turned off.`;
  return { code: 'webhook_failing', detail, webhookId, host };
}

function secretUnreadable({ _id: webhookId, url }: WebhookEndpoint): HealthFinding {
  const { host } = new URL(url);
  const detail = `Nothing can be sent to the webhook to ${host}, as its secret can no longer be read. Rotate the secret; what waits is then sent.`;
  return { code: 'webhook_secret_unreadable', detail, webhookId, host };
}

function webhooksOverPlan({ plan }: Guild, count: number): HealthFinding {
  const { webhookEndpoints: limit } = plans[plan];
  const detail = `The plan allows fewer webhooks than are on, so the ${count} newest get nothing. Turn some off, or take a larger plan.`;
  return { code: 'webhooks_over_plan', detail, plan, limit, count };
}
