import { type Attempt, Deliveries, type Delivery } from '../../src/features/webhooks/delivery-model.js';
import { newDelivery } from '../../src/features/webhooks/delivery-store.js';
import { WebhookEndpoints } from '../../src/features/webhooks/endpoint-model.js';
import { clock } from '../../src/lib/clock.js';
import { hourMs, minuteMs } from '../../src/lib/time.js';
import { newEvent, type OutboxEvent } from '../../src/platforms/events/outbox.js';
import { asPerson } from '../support/api.js';
import { emptyOutboxes } from '../support/background.js';
import type { ShowcaseGuild } from './showcase-guild.js';

export interface ShowcaseTeam {
  webhookId: string;
  /** A delivery that was refused thrice. */
  deliveryId: string;
}

const deliveries = 160;

/**
 * What integrators see, after the last event: two webhooks, one with a day's deliveries and some failures among them,
 * and two tokens.
 */
export async function buildShowcaseTeam(guild: ShowcaseGuild): Promise<ShowcaseTeam> {
  // Else earlier events would be sent too, to addresses that nobody has.
  await emptyOutboxes();
  const webhookId = await addEndpoint(guild, 'https://api.space-rangers.example/rolelink', 'Roster on our website', [
    ...['verification.completed', 'member.unlinked', 'role.synced', 'role.sync_failed'],
  ]);
  await addEndpoint(guild, 'https://alerts.space-rangers.example/hook', 'Alerts for the staff', ['role.sync_failed']);
  const stored = Array.from({ length: deliveries }, (_, index) => deliveryOf(guild, webhookId, index));
  await Deliveries.acrossGuilds.collection.insertMany(stored as never[]);
  const person = await asPerson(guild.owner);
  await person.post(`${guild.path}/tokens`, { name: 'Website', role: 'viewer' });
  await person.post(`${guild.path}/tokens`, { name: 'Game server', role: 'manager' });
  return { webhookId, deliveryId: stored.find(({ attempts }) => attempts.length > 1)?._id ?? '' };
}

/** An endpoint with an address as an integrator would have, which nothing is really sent to. */
async function addEndpoint(
  { api, path, guildId }: ShowcaseGuild,
  url: string,
  description: string,
  events: string[],
): Promise<string> {
  const draft = { url: 'http://127.0.0.1:9/hook', events: ['guild.suspended'], description };
  const { webhookId } = (await api.post(`${path}/webhooks`, draft)).body;
  const looks = { url, events, lastSuccessAt: clock.now() };
  await WebhookEndpoints.acrossGuilds.collection.updateOne({ guildId, _id: webhookId }, { $set: looks });
  return webhookId;
}

const retryAfterMs = [0, 5_000, 20_000] as const;

/** One of a day's deliveries, the newest first. One in nine arrived at its second try, and a few have failed. */
function deliveryOf(guild: ShowcaseGuild, webhookId: string, index: number): Omit<Delivery, 'nextAttemptAt'> {
  const agoMs = Math.min(((index * index) / 18 + 2) * minuteMs, 23 * hourMs);
  const at = new Date(clock.epochMs() - agoMs);
  const { nextAttemptAt: _, ...made } = newDelivery(
    { ...eventOf(guild, index), createdAt: at },
    webhookId,
    'event',
    at,
  );
  const hasFailed = index % 23 === 1;
  const tries = hasFailed ? 3 : index % 9 === 5 ? 2 : 1;
  const attempts = retryAfterMs.slice(0, tries).map((afterMs, before): Attempt => {
    const isRefused = hasFailed || before < tries - 1;
    return {
      n: before + 1,
      at: new Date(at.getTime() + afterMs),
      ...(isRefused ? refused : taken),
      latencyMs: 38 + ((index * 17 + before * 31) % 140),
    };
  });
  return {
    ...made,
    ...{ attempts, attemptCount: tries, firstAttemptAt: at, completedAt: attempts.at(-1)?.at ?? at },
    ...(hasFailed ? { state: 'failed', failureReason: 'not_retried' } : { state: 'succeeded' }),
  };
}

const taken = { outcome: 'succeeded', status: 200, responseBody: '{"ok":true}' } as const;
const refused = {
  outcome: 'http_error',
  status: 503,
  responseBody: '{"error":"the roster is being rebuilt"}',
} as const;

function eventOf({ guildId, members, roleIds }: ShowcaseGuild, index: number): OutboxEvent {
  const { chatUserId = '', gameUserId = '', gameUsername = '' } = members[(index * 7) % members.length] ?? {};
  if (index % 3 === 0) return newEvent('verification.completed', guildId, { chatUserId, gameUserId, gameUsername });
  const [added, removed] = [[...roleIds.values()].slice(index % 7, (index % 7) + 1), []];
  return newEvent('role.synced', guildId, { chatUserId, gameUserId, trigger: 'rank_change', added, removed });
}
