import { container } from '@sapphire/framework';
import { AppError } from '../../../lib/errors.js';
import { currentLane, inLane } from '../../../lib/lane.js';
import { secondMs } from '../../../lib/time.js';

/** How long a person waits for a call, in milliseconds. Discord may ask for a day. */
export const patience = { longestMs: 15 * secondMs };

/**
 * Runs a call that a person waits for. Hand its signal to the call, so that it is not sent after the person was told.
 * Throws AppError `chat_platform_unavailable` with the time that Discord asked for once the person has waited for 15 s.
 */
export async function patiently<T>(path: string, call: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const waiting = new AbortController();
  let asked: number | undefined;
  const note = (request: { path: string }, response: { status: number; headers: Headers }): void => {
    const seconds = Number(response.headers.get('retry-after'));
    if (response.status === 429 && request.path === path && seconds > 0) asked = seconds;
  };
  const { rest } = container.client;
  // Their type of headers is another package's, with the same `get`.
  rest.on('response', note as never);
  const ended = new Promise<never>((_, reject) => {
    waiting.signal.addEventListener('abort', () => reject(waiting.signal.reason));
  });
  const timer = setTimeout(() => waiting.abort(tooSlow(asked)), patience.longestMs);
  try {
    return await Promise.race([inLane(currentLane().lane, () => call(waiting.signal), waiting.signal), ended]);
  } finally {
    clearTimeout(timer);
    rest.off('response', note as never);
  }
}

/** The refusal of a call for which Discord asks to wait longer; undefined seconds: it has not said how long. */
export function tooSlow(retryAfterSeconds: number | undefined): AppError {
  const later = retryAfterSeconds === undefined ? 'in a few minutes' : `in ${Math.ceil(retryAfterSeconds)} s`;
  const details = retryAfterSeconds === undefined ? {} : { retryAfterSeconds: Math.ceil(retryAfterSeconds) };
  return new AppError('chat_platform_unavailable', `Discord lets the bot do this later. Try again ${later}.`, details);
}
