import type { Middleware } from 'koa';

interface ErrorFields {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  code?: string;
  message: string;
  param?: string;
}

/** A refusal in the very form that Stripe sends it; thrown by routes and turned into the answer by `answerErrors`. */
export class WireError extends Error {
  constructor(
    readonly status: number,
    readonly fields: ErrorFields,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(fields.message);
  }
}

export function invalidRequest(message: string, more: { code?: string; param?: string } = {}, status = 400): WireError {
  return new WireError(status, { type: 'invalid_request_error', message, ...more });
}

/** Stripe answers 404 for what the path names, and 400 for what a parameter names. */
export function missing(what: string, id: string, param: string, status: 400 | 404): WireError {
  return invalidRequest(`No such ${what}: '${id}'`, { code: 'resource_missing', param }, status);
}

/** Answers thrown refusals and unknown routes in Stripe's form. */
export const answerErrors: Middleware = async (ctx, next) => {
  try {
    await next();
    if (ctx.status === 404 && ctx.body === undefined && ctx.respond !== false) {
      throw invalidRequest(`Unrecognized request URL (${ctx.method}: ${ctx.path}).`, {}, 404);
    }
  } catch (error) {
    if (!(error instanceof WireError)) throw error;
    ctx.set(error.headers);
    ctx.status = error.status;
    ctx.body = { error: error.fields };
  }
};
