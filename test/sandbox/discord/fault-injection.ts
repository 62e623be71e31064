import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Middleware } from 'koa';
import type { Fault } from '../kit/exchange.js';
import type { FaultList } from '../kit/fault-list.js';
import { rateLimitBody } from './rate-limiter.js';

/** Lets the fault that waits for this request hit it. */
export function applyFaults(faults: FaultList): Middleware {
  return async (ctx, next) => {
    const fault = faults.take(`${ctx.method} discord.com${ctx.path}`);
    if (!fault) return next();
    if (fault.delayMs) await sleep(fault.delayMs);
    const replacesAnswer = fault.status !== undefined || fault.dropSocket === true;
    if (!replacesAnswer || fault.when === 'after') await next();
    if (fault.dropSocket) {
      ctx.respond = false;
      ctx.req.socket.destroy();
    } else if (fault.status !== undefined) {
      answer(ctx, fault.status, fault);
    }
  };
}

function answer(ctx: Context, status: number, { retryAfter = 1 }: Fault): void {
  ctx.status = status;
  if (status === 429) {
    ctx.set({ 'Retry-After': String(Math.ceil(retryAfter)), 'X-RateLimit-Scope': 'user' });
    ctx.body = rateLimitBody(retryAfter, false);
  } else {
    ctx.body = { message: `${status}: injected by the sandbox`, code: 0 };
  }
}
