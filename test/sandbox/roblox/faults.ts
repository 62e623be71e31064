import type { Context } from 'koa';
import type { Fault } from '../kit/exchange.js';
import { retryAfterHeader } from '../kit/fault-injection.js';
import { readCloudPage } from './cloud-paging.js';
import { hostError } from './wire-errors.js';

/** A fault in the sandbox's Roblox. It can fail openly, or answer 200 with false data. */
export interface RobloxFault extends Fault {
  /**
   * `truncated`: the JSON breaks off half-way. `empty_data`: lists are empty and no further page is named. `reversed`:
   * lists are the other way round. `empty_page`: a list of Open Cloud is empty, and names the page with its items next.
   */
  corrupt?: 'truncated' | 'empty_data' | 'reversed' | 'empty_page';
}

/** A fault's own answer: the host's refusal, or the good answer spoilt. */
export function answerFault(ctx: Context, fault: RobloxFault): void {
  if (fault.status !== undefined) {
    const message = 'The sandbox was told to fail here.';
    throw hostError(ctx.state, fault.status, message, retryAfterHeader(fault));
  }
  if (!fault.corrupt || ctx.status !== 200) return;
  ctx.state.intendedBody = ctx.body;
  spoilers[fault.corrupt](ctx);
}

const spoilers: Record<NonNullable<RobloxFault['corrupt']>, (ctx: Context) => void> = {
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
  empty_page(ctx) {
    spoilers.empty_data(ctx);
    Object.assign(Object(ctx.body), { nextPageToken: readCloudPage(ctx, 1).tokenAfter(0) });
  },
  reversed(ctx) {
    const turned = Object.entries(ctx.body ?? {}).map(([key, value]) => [
      key,
      Array.isArray(value) ? value.toReversed() : value,
    ]);
    ctx.body = Object.fromEntries(turned);
  },
};
