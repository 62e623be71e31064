import { setTimeout as sleep } from 'node:timers/promises';
import type { Middleware } from 'koa';
import type { Fault } from '../kit/exchange.js';
import type { FaultList } from '../kit/fault-list.js';
import type { WireState } from './wire-context.js';
import { hostError } from './wire-errors.js';

/** A fault of the sandbox's Roblox: beside failing openly it can answer 200 with something that must not be trusted. */
export interface RobloxFault extends Fault {
  /** `truncated`: the JSON breaks off half-way. `empty_data`: lists are empty and no further page is named. */
  corrupt?: 'truncated' | 'empty_data';
}

/** Lets the fault that waits for this request hit it. */
export function applyFaults(faults: FaultList<RobloxFault>): Middleware<WireState> {
  return async (ctx, next) => {
    const fault = faults.take(`${ctx.method} ${ctx.state.host}${ctx.state.realPath}`);
    if (!fault) return next();
    ctx.state.fault = fault;
    if (fault.delayMs) await sleep(fault.delayMs);
    const replacesAnswer = fault.status !== undefined || fault.dropSocket === true;
    if (!replacesAnswer || fault.when === 'after') await next();
    if (fault.dropSocket) {
      ctx.respond = false;
      ctx.req.socket.destroy();
    } else if (fault.status !== undefined) {
      const headers = fault.retryAfter === undefined ? {} : { 'retry-after': String(fault.retryAfter) };
      throw hostError(ctx.state, fault.status, 'The sandbox was told to fail here.', headers);
    } else if (fault.corrupt && ctx.status === 200) {
      ctx.state.intendedBody = ctx.body;
      spoilers[fault.corrupt](ctx);
    }
  };
}

const spoilers: Record<NonNullable<RobloxFault['corrupt']>, (ctx: { body: unknown; type: string }) => void> = {
  truncated(ctx) {
    const text = JSON.stringify(ctx.body);
    ctx.body = text.slice(0, Math.floor(text.length / 2));
    ctx.type = 'application/json';
  },
  empty_data(ctx) {
    const answer = Object.entries(ctx.body ?? {}).flatMap(([key, value]): [string, unknown][] => {
      if (key === 'nextPageToken') return [];
      if (key === 'nextPageCursor') return [[key, null]];
      return [[key, Array.isArray(value) ? [] : value]];
    });
    ctx.body = Object.fromEntries(answer);
  },
};
