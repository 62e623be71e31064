import { trusted } from 'mongoose';
import { systemActor } from '../../core/actors/actor.js';
import { enterLog } from '../../core/audit/audit-service.js';
import { nextUpdate } from '../../lib/entity-tag.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import type { InGuild } from '../../platforms/database/guild-model.js';
import { push } from '../../platforms/events/outbox.js';
import { entriesOfChange } from './endpoint-audit.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';

/** An endpoint is turned off after failing for five days (HOOK-19). */
const failingForMs = 5 * dayMs;

/**
 * Whether an endpoint has had no success for five days (HOOK-19), counted from its first failure since the last
 * success. So an endpoint to which nothing was sent doesn't count as failing.
 */
export function isFailingTooLong({ failingSince }: Pick<WebhookEndpoint, 'failingSince'>, at: Date): boolean {
  return failingSince !== undefined && at.getTime() - failingSince.getTime() >= failingForMs;
}

/**
 * Stores an attempt's result with its endpoint, and turns the endpoint off if it has failed for too long. `endpoint` is
 * as it was read for the attempt. Costs at most one write a minute.
 */
export async function noteEndpointResult(endpoint: WebhookEndpoint, succeeded: boolean, at: Date): Promise<void> {
  await (succeeded ? noteSuccess(endpoint, at) : noteFailure(endpoint, at));
}

async function noteSuccess(
  { _id, guildId, url, lastSuccessAt, failingSince }: WebhookEndpoint,
  at: Date,
): Promise<void> {
  if (failingSince === undefined && isOfThisMinute(lastSuccessAt, at)) return;
  await WebhookEndpoints.update({ _id, guildId, url }, { $max: { lastSuccessAt: at }, $unset: { failingSince: 1 } });
}

async function noteFailure(endpoint: WebhookEndpoint, at: Date): Promise<void> {
  const { _id, guildId, url, lastFailureAt, failingSince } = endpoint;
  const mine = { _id, guildId, url };
  if (failingSince === undefined || isQuiet(lastFailureAt, at)) {
    // Only from the state that was read: another attempt may have noted something newer.
    const read = failingSince === undefined ? trusted({ $exists: false }) : failingSince;
    await WebhookEndpoints.update({ ...mine, failingSince: read }, { $set: { failingSince: at, lastFailureAt: at } });
    return;
  }
  if (!isOfThisMinute(lastFailureAt, at)) await WebhookEndpoints.update(mine, { $max: { lastFailureAt: at } });
  // A success in between has removed failingSince.
  if (isFailingTooLong(endpoint, at)) await turnOff(endpoint, { ...mine, failingSince }, 'failing');
}

const isOfThisMinute = (noted: Date | undefined, at: Date): boolean =>
  noted !== undefined && at.getTime() - noted.getTime() < minuteMs;

/** After days without an attempt, one more failure proves nothing about the time between. Counting starts again. */
const isQuiet = (lastFailureAt: Date | undefined, at: Date): boolean =>
  lastFailureAt === undefined || at.getTime() - lastFailureAt.getTime() >= failingForMs;

type DisabledReason = NonNullable<WebhookEndpoint['disabledReason']>;

/**
 * Turns off an endpoint that answered 410 or has failed for too long, once, and logs it. Leaves it alone when its URL
 * changed since `endpoint` was read. Returns whether this call turned it off.
 */
export function disableEndpoint(endpoint: WebhookEndpoint, reason: DisabledReason): Promise<boolean> {
  const { _id, guildId, url } = endpoint;
  return turnOff(endpoint, { _id, guildId, url }, reason);
}

async function turnOff(
  endpoint: WebhookEndpoint,
  which: InGuild<WebhookEndpoint>,
  disabledReason: DisabledReason,
): Promise<boolean> {
  const off = { enabled: false, disabledReason };
  const { disabledReason: former, ...on } = { ...endpoint, enabled: true };
  const entries = entriesOfChange(systemActor('webhook-delivery'), on, { ...on, ...off });
  const change = { $set: { ...off, updatedAt: nextUpdate(endpoint) }, ...push(...entries) };
  if ((await WebhookEndpoints.update({ ...which, enabled: true }, change)) === null) return false;
  await enterLog(...entries);
  return true;
}
