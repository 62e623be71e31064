import { trusted } from 'mongoose';
import type { Guild } from '../../core/guilds/guild-service.js';
import type { HealthFinding } from '../../core/guilds/health-issue.js';
import { plans } from '../../core/plans/plans.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';
import { deliverableEndpoints } from './endpoint-service.js';

/** What stops the webhooks of a guild: endpoints that were turned off by themselves, and more than the plan allows. */
export async function webhookIssues(guild: Guild): Promise<HealthFinding[]> {
  const { _id: guildId } = guild;
  const [disabled, enabled, deliverable] = await Promise.all([
    WebhookEndpoints.find({ guildId, disabledReason: trusted({ $exists: true }) }, { sort: { _id: 1 } }),
    WebhookEndpoints.count({ guildId, enabled: true }),
    deliverableEndpoints(guild),
  ]);
  const delivered = deliverable.length;
  return [
    ...disabled.map(webhookDisabled),
    ...(delivered < enabled ? [webhooksOverPlan(guild, enabled - delivered)] : []),
  ];
}

function webhookDisabled({ _id: webhookId, url, disabledReason: reason = 'failing' }: WebhookEndpoint): HealthFinding {
  const why = reason === 'gone' ? 'it answered that it is gone (410)' : 'it has failed for five days';
  const { host } = new URL(url);
  const detail = `The webhook to ${host} was turned off, as ${why}. Mend it and turn it on, or remove it.`;
  return { code: 'webhook_disabled', detail, webhookId, host, reason };
}

function webhooksOverPlan({ plan }: Guild, count: number): HealthFinding {
  const { webhookEndpoints: limit } = plans[plan];
  const detail = `The plan allows fewer webhooks than are on, so the ${count} newest get nothing. Turn some off, or take a larger plan.`;
  return { code: 'webhooks_over_plan', detail, plan, limit, count };
}
