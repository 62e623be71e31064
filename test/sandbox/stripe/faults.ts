import type { Middleware } from 'koa';
import type { Fault } from '../kit/exchange.js';
import { retryAfterHeader } from '../kit/fault-injection.js';
import { stripeError } from './wire-errors.js';

/** What the sandbox knows about a request on its way through the pipeline. */
export interface WireState {
  fault?: Fault;
}

/** Answers with the status that this request's fault names: behind the idempotency keys, which may keep it. */
export const failAsTold: Middleware<WireState> = async (ctx, next) => {
  const { fault } = ctx.state;
  if (fault?.status === undefined || fault.when === 'after') await next();
  if (fault?.status === undefined) return;
  const message = 'The sandbox was told to fail here.';
  throw stripeError(fault.status, { type: 'api_error', message }, retryAfterHeader(fault));
};
