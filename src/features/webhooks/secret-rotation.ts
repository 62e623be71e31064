import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { makeUnsentDueNow } from './delivery-claim.js';
import { wakeForRetry } from './delivery-job.js';
import { snapshotHoldsMs } from './delivery-lane.js';
import { type EndpointWithSecret, rotateSecret } from './endpoint-service.js';

/**
 * Rotates an endpoint's secret. Once every process reads the new one, sends deliveries that the previous secrets could
 * not sign. Throws as `rotateSecret`.
 */
export async function rotateAndResume(
  guild: Guild,
  actor: Actor,
  webhookId: string,
  options: { immediately: boolean },
): Promise<EndpointWithSecret> {
  const rotated = await rotateSecret(guild, actor, webhookId, options);
  const at = new Date(clock.epochMs() + 2 * snapshotHoldsMs);
  await makeUnsentDueNow(webhookId, at);
  wakeForRetry(at);
  return rotated;
}
