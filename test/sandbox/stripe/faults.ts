import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'koa';
import type { Fault } from '../kit/exchange.js';
import type { FaultList } from '../kit/fault-list.js';
import { stripeHost } from './exchange-recorder.js';
import { WireError } from './wire-errors.js';

/** What the sandbox knows about a request on its way through the pipeline. */
export interface WireState {
  fault?: Fault;
}

/**
 * Lets the fault that waits for this request hit its connection, and hands one that is an answer on to `failAsTold`. A
 * delay `after` keeps an answer back that is made already.
 */
export function applyFaults(faults: FaultList): Middleware<WireState> {
  return async (ctx, next) => {
    const fault = faults.take(`${ctx.method} ${stripeHost}${ctx.path}`);
    if (!fault) return next();
    ctx.state.fault = fault;
    const { delayMs = 0, dropSocket = false, when = 'before' } = fault;
    if (when === 'before') await sleep(delayMs);
    if (when === 'after' || !dropSocket) await next();
    if (when === 'after') await sleep(delayMs);
    if (!dropSocket) return;
    ctx.respond = false;
    ctx.req.socket.destroy();
  };
}

/** Answers with the status that the fault of this request names: behind the idempotency keys, which may keep it. */
export const failAsTold: Middleware<WireState> = async (ctx, next) => {
  const { status, retryAfter, when } = ctx.state.fault ?? {};
  if (status === undefined || when === 'after') await next();
  if (status === undefined) return;
  const headers = retryAfter === undefined ? {} : { 'retry-after': String(retryAfter) };
  throw new WireError(status, { type: 'api_error', message: 'The sandbox was told to fail here.' }, headers);
};
