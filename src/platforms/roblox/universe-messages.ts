import { setTimeout as sleep } from 'node:timers/promises';
import { LRUCache } from 'lru-cache';
import { clock } from '../../lib/clock.js';
import { gameId } from '../../lib/ids.js';
import { logger } from '../../lib/logger.js';
import { secondMs } from '../../lib/time.js';
import { RateLimit } from './rate-limit.js';
import { perConfiguration, robloxConfig } from './roblox-config.js';
import { robloxHost } from './roblox-host.js';
import { send } from './roblox-http.js';

/** The most bytes of a message, in UTF-8 (Roblox cloud/guides/usage-messaging). */
export const mostMessageBytes = 1_024;

/** A universe id, as typed or in the address of its page on the Creator Dashboard; null for anything else. */
export function parseUniverseId(reference: string): string | null {
  const [, id = reference] =
    /^https:\/\/create\.roblox\.com\/dashboard\/creations\/experiences\/(\d+)(?:[/?#]|$)/.exec(reference) ?? [];
  return gameId.safeParse(id).data ?? null;
}

/** A message to the subscribers of a topic in a universe's running games. */
export interface UniverseMessage {
  universeId: string;
  /** At most 80 characters. */
  topic: string;
  message: string;
}

/** `limited`: Roblox takes no more at the moment. `unanswered`: Roblox is away, or its answer is unclear. */
export type MessageOutcome = { kind: 'sent' | 'limited' | 'unanswered' } | { kind: 'refused'; status: number };

/** A message is a hint, so a later one is better than a late one. */
const withinMs = 5 * secondMs;
const longestTurnMs = 2 * secondMs;
const mostLimits = 1_000;

// Roblox throttles each universe by its players, and a throttled one must not hold up others.
const limits = perConfiguration(() => new LRUCache<string, RateLimit>({ max: mostLimits }));

function limitOf(universeId: string): RateLimit {
  const limit = limits().get(universeId) ?? new RateLimit();
  limits().set(universeId, limit);
  return limit;
}

/**
 * Sends one message, once (Open Cloud, scope `universe-messaging-service:publish`, 5,000 a minute). It leaves the last
 * part of the limit to others, and neither opens nor closes the host's breaker. Never throws; `signal` cuts it.
 */
export async function sendToUniverse(
  { universeId, topic, message }: UniverseMessage,
  signal: AbortSignal,
): Promise<MessageOutcome> {
  const host = robloxHost('apis');
  const limit = limitOf(universeId);
  const waitMs = limit.turn('yielding') - clock.monotonicMs();
  if (waitMs > longestTurnMs) return { kind: 'limited' };
  if (host.breaker.isOpen) return { kind: 'unanswered' };
  const path = `/cloud/v2/universes/${gameId.parse(universeId)}:publishMessage`;
  try {
    if (waitMs > 0) await sleep(waitMs, undefined, { signal });
    host.counts.requests += 1;
    const headers = { 'x-api-key': robloxConfig().apiKey ?? '' };
    const {
      statusCode: status,
      headers: answered,
      body,
    } = await send(host, { path, headers, body: { topic, message } }, Math.min(host.timeoutMs, withinMs), signal);
    limit.note(status, answered);
    await body.dump();
    return outcomeOf(status);
  } catch (error) {
    if (!signal.aborted) {
      host.counts.failures += 1;
      logger.debug({ path, err: error }, 'a message to a Roblox experience got no answer');
    }
    return { kind: 'unanswered' };
  }
}

function outcomeOf(status: number): MessageOutcome {
  if (status === 200) return { kind: 'sent' };
  if (status === 429) return { kind: 'limited' };
  return status >= 500 || status === 408 ? { kind: 'unanswered' } : { kind: 'refused', status };
}
