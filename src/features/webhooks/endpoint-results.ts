import { trusted } from 'mongoose';
import { systemActor } from '../../core/actors/actor.js';
import { clock } from '../../lib/clock.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import type { InGuild } from '../../platforms/database/guild-model.js';
import { recordEndpointChange } from './endpoint-audit.js';
import { type WebhookEndpoint, WebhookEndpoints } from './endpoint-model.js';

/** An endpoint that fails for so long is turned off (SPEC §7). */
const failingForMs = 5 * dayMs;

/**
 * Whether an endpoint has had no success for five days (SPEC §7), counted from its first failure since the last one, so
 * that one to which nothing was sent does not count as failing.
 */
export function isFailingTooLong({ failingSince }: Pick<WebhookEndpoint, 'failingSince'>, at: Date): boolean {
  return failingSince !== undefined && at.getTime() - failingSince.getTime() >= failingForMs;
}

/**
 * Notes how an attempt to deliver to an endpoint ended, and turns the endpoint off when it has failed for too long.
 * `endpoint` is as it was read for the attempt. Costs a write at most once a minute.
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
    // Only from the state that was read: what another attempt has noted meanwhile is newer.
    const read = failingSince === undefined ? trusted({ $exists: false }) : failingSince;
    await WebhookEndpoints.update({ ...mine, failingSince: read }, { $set: { failingSince: at, lastFailureAt: at } });
    return;
  }
  if (!isOfThisMinute(lastFailureAt, at)) await WebhookEndpoints.update(mine, { $max: { lastFailureAt: at } });
  // A success that came meanwhile has taken failingSince away.
  if (isFailingTooLong(endpoint, at)) await turnOff({ ...mine, failingSince }, 'failing');
}

const isOfThisMinute = (noted: Date | undefined, at: Date): boolean =>
  noted !== undefined && at.getTime() - noted.getTime() < minuteMs;

/** After days without an attempt, one more failure says nothing of the time between: counting begins anew. */
const isQuiet = (lastFailureAt: Date | undefined, at: Date): boolean =>
  lastFailureAt === undefined || at.getTime() - lastFailureAt.getTime() >= failingForMs;

type DisabledReason = NonNullable<WebhookEndpoint['disabledReason']>;

/**
 * Turns an endpoint off that says itself that it is gone (410) or that has failed for too long, once, and writes it
 * down. Leaves one alone whose URL was changed since `endpoint` was read. Answers whether it was turned off by this.
 */
export function disableEndpoint({ _id, guildId, url }: WebhookEndpoint, reason: DisabledReason): Promise<boolean> {
  return turnOff({ _id, guildId, url }, reason);
}

async function turnOff(which: InGuild<WebhookEndpoint>, reason: DisabledReason): Promise<boolean> {
  const change = { enabled: false, disabledReason: reason, updatedAt: clock.now() };
  const after = await WebhookEndpoints.update({ ...which, enabled: true }, { $set: change });
  if (after === null) return false;
  const { disabledReason, ...before } = after;
  await recordEndpointChange(systemActor('webhook-delivery'), { ...before, enabled: true }, after);
  return true;
}
