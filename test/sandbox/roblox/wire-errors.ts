import type { Context } from 'koa';
import { WireError } from '../kit/wire-error.js';
import { isOpenCloud, type WireState } from './wire-context.js';

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

/** An error that any operation on the host could answer, in that host's form. */
export function hostError(state: WireState, status: number, message: string, headers = {}): WireError {
  return isOpenCloud(state) ? cloudError(status, message, headers) : legacyError(status, 0, message, headers);
}

/** The body parser's own refusals carry a 4xx status; anything else is the sandbox's fault and is thrown on. */
export function unreadableBody(error: unknown, { state }: Context): WireError {
  const status = error instanceof Error && 'status' in error ? Number(error.status) : Number.NaN;
  if (!(status >= 400 && status < 500)) throw error;
  return hostError(state, status, 'The request body could not be read.');
}
