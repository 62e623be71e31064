import { LinkedGroups } from '../../core/groups/group-model.js';
import type { PlanUsage } from '../billing/billing-view.js';
import { Mappings } from '../mappings/mapping-model.js';
import { WebhookEndpoints } from '../webhooks/endpoint-model.js';

export async function readPlanUsage(guildId: string): Promise<PlanUsage> {
  const [groups, mappings, webhookEndpoints] = await Promise.all([
    LinkedGroups.count({ guildId }),
    Mappings.count({ guildId }),
    WebhookEndpoints.count({ guildId }),
  ]);
  return { groups, mappings, webhookEndpoints };
}
