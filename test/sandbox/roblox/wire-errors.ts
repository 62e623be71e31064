import type { Middleware } from 'koa';
import { isOpenCloud, type WireState } from './wire-context.js';

/** A refusal in the very form that Roblox sends it; thrown by routes and turned into the answer by `answerErrors`. */
export class WireError extends Error {
  constructor(
    readonly status: number,
    readonly body: object,
    readonly headers: Readonly<Record<string, string>> = {},
  ) {
    super(JSON.stringify(body));
  }
}

const cloudCodes: Readonly<Record<number, string>> = {
  400: 'INVALID_ARGUMENT',
  403: 'PERMISSION_DENIED',
  404: 'NOT_FOUND',
  409: 'ABORTED',
  429: 'RESOURCE_EXHAUSTED',
  499: 'CANCELLED',
  501: 'NOT_IMPLEMENTED',
  503: 'UNAVAILABLE',
};

/** Open Cloud v2: `{code, message}` with the code that belongs to the status (Roblox cloud/reference/errors). */
export function cloudError(status: number, message: string, headers = {}): WireError {
  return new WireError(status, { code: cloudCodes[status] ?? 'INTERNAL', message }, headers);
}

/** The older hosts and the gateway in front of Open Cloud: `{errors: [{code, message}]}`; code 0 is the gateway's. */
export function legacyError(status: number, code: number, message: string, headers = {}): WireError {
  return new WireError(status, { errors: [{ code, message }] }, headers);
}

/** RFC 6749 §5.2. */
export function oauthError(status: number, error: string, description: string, headers = {}): WireError {
  return new WireError(status, { error, error_description: description }, headers);
}

/** An error that any operation of the host could answer, in that host's form. */
export function hostError(state: WireState, status: number, message: string, headers = {}): WireError {
  return isOpenCloud(state) ? cloudError(status, message, headers) : legacyError(status, 0, message, headers);
}

/** Answers thrown refusals, unreadable bodies and unknown routes in the host's own form. */
export const answerErrors: Middleware<WireState> = async (ctx, next) => {
  try {
    await next();
    if (ctx.status === 404 && ctx.body === undefined) throw legacyError(404, 0, 'NotFound');
  } catch (error) {
    const answer = error instanceof WireError ? error : unreadableBody(ctx.state, error);
    ctx.set(answer.headers);
    ctx.status = answer.status;
    ctx.body = answer.body;
  }
};

/** The body parser's own refusals carry a 4xx status; anything else is a fault of the sandbox and is thrown on. */
function unreadableBody(state: WireState, error: unknown): WireError {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : Number.NaN;
  if (!(status >= 400 && status < 500)) throw error;
  return hostError(state, status, 'The request body could not be read.');
}
