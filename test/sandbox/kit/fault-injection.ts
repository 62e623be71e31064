import { setTimeout as sleep } from 'node:timers/promises';
import type { Context, Middleware, Next } from 'koa';
import type { Fault } from './exchange.js';
import type { FaultList } from './fault-list.js';

/**
 * Lets the fault that waits for a request (`placeOf` gives its real host and path) hit it, and leaves it in
 * `ctx.state.fault`. A delay `after` keeps an answer back that is made already. A held request does nothing once its
 * caller has given it up. `answer` gives a fault's own answer, in
 * the provider's form; without it, faults that name a status go on to the stations behind.
 */
export function applyFaults<Kind extends Fault>(
  faults: FaultList<Kind>,
  placeOf: (ctx: Context) => string,
  answer?: (ctx: Context, fault: Kind) => void,
): Middleware {
  return async (ctx, next) => {
    const hit = faults.take(`${ctx.method} ${placeOf(ctx)}`);
    if (!hit) return next();
    const { fault, released, holds } = hit;
    ctx.state.fault = fault;
    const { delayMs = 0, held = false, dropSocket = false, status, when = 'before' } = fault;
    const wait = () => {
      if (!held) return sleep(delayMs);
      holds();
      return released;
    };
    const replacesAnswer = dropSocket || (answer !== undefined && status !== undefined);
    if (when === 'before') await wait();
    if (held && when === 'before' && ctx.res.destroyed) return;
    if (when === 'after' || !replacesAnswer) await next();
    if (when === 'after') await wait();
    if (!dropSocket) return answer?.(ctx, fault);
    ctx.respond = false;
    ctx.req.socket.destroy();
  };
}

/** Stands before exchanges are recorded, so that only the caller gets the body that a fault makes from an answer. */
export async function reshapeAnswer(ctx: Context, next: Next): Promise<void> {
  await next();
  const { reshape }: Partial<Fault> = ctx.state.fault ?? {};
  if (reshape) ctx.body = JSON.stringify(reshape(JSON.parse(JSON.stringify(ctx.body))));
}

/** A refusal's header that names when to come back. */
export function retryAfterHeader({ retryAfter }: Fault): Record<string, string> {
  return retryAfter === undefined ? {} : { 'retry-after': String(Math.ceil(retryAfter)) };
}
