import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { clock } from '../../lib/clock.js';
import { hastenUnsent } from './delivery-claim.js';
import { wakeForRetry } from './delivery-job.js';
import { outlookHoldsMs } from './delivery-lane.js';
import { type EndpointWithSecret, rotateSecret } from './endpoint-service.js';

/**
 * Rotates the secret of an endpoint, and sends what could not be signed with the secrets before, once every process
 * reads the new one. Throws as `rotateSecret`.
 */
export async function rotateAndResume(
  guild: Guild,
  actor: Actor,
  webhookId: string,
  options: { immediately: boolean },
): Promise<EndpointWithSecret> {
  const rotated = await rotateSecret(guild, actor, webhookId, options);
  const at = new Date(clock.epochMs() + 2 * outlookHoldsMs);
  await hastenUnsent(webhookId, at);
  wakeForRetry(at);
  return rotated;
}
