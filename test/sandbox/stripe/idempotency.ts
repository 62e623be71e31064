import type { Middleware } from 'koa';
import type { WireError } from '../kit/wire-error.js';
import { stripeError } from './wire-errors.js';

interface StoredAnswer {
  /** Stands for the request: its path and parameters. */
  request: string;
  /** Undefined while the first request is under way. */
  answer?: { status: number; body: unknown };
}

/**
 * Idempotency keys (docs: api/idempotent_requests): the same key answers as the first time, also with a 500; with other
 * parameters it is an error. Nothing is kept from a request that was refused before anything was done.
 */
export function replayIdempotent(): Middleware {
  const stored = new Map<string, StoredAnswer>();
  return async (ctx, next) => {
    const key = ctx.get('idempotency-key');
    if (ctx.method !== 'POST' || key === '') return next();
    if (key.length > 255) throw idempotencyError(400, 'Idempotency keys have at most 255 characters.');
    const request = `${ctx.path} ${JSON.stringify(ctx.request.body)}`;
    const known = stored.get(key);
    if (known) {
      if (known.request !== request) {
        throw idempotencyError(400, 'Keys can only be used with the same parameters they were first used with.');
      }
      if (!known.answer) throw idempotencyError(409, 'Another request with this key is under way.');
      ctx.status = known.answer.status;
      ctx.body = known.answer.body;
      ctx.set('idempotent-replayed', 'true');
      return;
    }
    stored.set(key, { request });
    await next();
    if (ctx.body && (ctx.status === 200 || ctx.status === 500)) {
      stored.set(key, { request, answer: { status: ctx.status, body: ctx.body } });
    } else {
      stored.delete(key);
    }
  };
}

const idempotencyError = (status: number, message: string): WireError =>
  stripeError(status, { type: 'idempotency_error', message });
