import type { Context } from 'koa';
import { WireError } from '../kit/wire-error.js';

interface ErrorFields {
  type: 'api_error' | 'card_error' | 'idempotency_error' | 'invalid_request_error';
  code?: string;
  message: string;
  param?: string;
}

/** A refusal in the form that Stripe sends it. */
export const stripeError = (status: number, error: ErrorFields, headers: Record<string, string> = {}): WireError =>
  new WireError(status, { error }, headers, error.message);

export function invalidRequest(message: string, more: { code?: string; param?: string } = {}, status = 400): WireError {
  return stripeError(status, { type: 'invalid_request_error', message, ...more });
}

/** Stripe answers 404 for what the path names, and 400 for what a parameter names. */
export function missing(what: string, id: string, param: string, status: 400 | 404): WireError {
  return invalidRequest(`No such ${what}: '${id}'`, { code: 'resource_missing', param }, status);
}

export const unknownRoute = ({ method, path }: Context): WireError =>
  invalidRequest(`Unrecognized request URL (${method}: ${path}).`, {}, 404);
