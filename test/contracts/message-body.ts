import type { Exchange } from '../sandbox/kit/exchange.js';

/** A message's media type without its parameters, in lower case; empty when there is none. */
export function mediaTypeOf(headers: Exchange['requestHeaders'] | Exchange['responseHeaders']): string {
  const text = String(headers['content-type'] ?? '');
  return (text.split(';')[0] ?? '').trim().toLowerCase();
}

/** Body parsers give `{}` or an empty text where nothing was sent. */
export function isEmptyBody(body: unknown): boolean {
  if (body === undefined || body === null || body === '') return true;
  return typeof body === 'object' && Object.keys(body).length === 0;
}
