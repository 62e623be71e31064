import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import { type EventData, type EventName, eventName } from '../../platforms/events/event-types.js';
import { newEvent, type OutboxEvent } from '../../platforms/events/outbox.js';
import { deliverTest } from './delivery-service.js';
import { attemptView, viewAttempt } from './delivery-view.js';
import { entryOfTest } from './endpoint-audit.js';
import { getEndpoint, requireWebhooks } from './endpoint-service.js';

const chatUserId = '100000000000000000';
const gameUserId = '1';
const gameUsername = 'TestEvent';
const notice = 'This is a test event: nothing has happened.';

/** Example data for each event, about no real person: no Discord id is so low, and the texts mark it as a test. */
const examples: { readonly [Name in EventName]: EventData<Name> } = {
  'verification.completed': { chatUserId, gameUserId, gameUsername },
  'verification.failed': { chatUserId, reason: 'code_not_found', method: 'profile_code', attempt: 1 },
  'member.unlinked': { chatUserId, gameUserId, gameUsername, reason: 'self', actorId: chatUserId },
  'role.synced': {
    chatUserId,
    gameUserId,
    trigger: 'verification',
    added: ['100000000000000001'],
    removed: [],
    nickname: gameUsername,
  },
  'role.sync_failed': {
    chatUserId,
    reason: 'role_hierarchy',
    roleIds: ['100000000000000001'],
    attempt: 1,
    willRetry: false,
  },
  'guild.suspended': { reason: notice, suspendedAt: '2026-01-01T00:00:00.000Z' },
};

/** The body of POST …/webhooks/:webhookId/test. */
export const testEventWish = z
  .strictObject({ event: eventName.optional().describe('The first that the webhook is subscribed to when left out') })
  .meta({ id: 'WebhookTestWish' });

export const testEventView = z
  .strictObject({
    deliveryId: z.string(),
    eventId: z.string(),
    event: eventName,
    delivered: z.boolean(),
    attempt: attemptView,
  })
  .meta({ id: 'WebhookTest' });

/**
 * Sends an endpoint a signed test event of the given kind, and waits at most 10 s for the answer. The header
 * `x-link-test` and example data mark it. Throws NotFound `webhook_not_found`, PlanLimitReached, and `deliverTest`'s
 * errors.
 */
export async function sendTestEvent(
  guild: Guild,
  actor: Actor,
  webhookId: string,
  wish: z.output<typeof testEventWish>,
): Promise<z.input<typeof testEventView>> {
  const endpoint = await getEndpoint(guild._id, webhookId);
  requireWebhooks(guild);
  const example = exampleOf(wish.event ?? endpoint.events[0] ?? 'verification.completed', guild._id);
  const { id: eventId, event } = example;
  const entry = entryOfTest(actor, endpoint, event);
  const { deliveryId, attempt } = await deliverTest(guild, endpoint, example, entry);
  return { deliveryId, eventId, event, delivered: attempt.outcome === 'succeeded', attempt: viewAttempt(attempt) };
}

const exampleOf = <Name extends EventName>(event: Name, guildId: string): OutboxEvent =>
  newEvent(event, guildId, examples[event]);
