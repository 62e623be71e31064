import type { OAuthApp } from './oauth-consent.js';
import type { WireContext } from './wire-context.js';
import { oauthError } from './wire-errors.js';

/** Lets the registered application pass, by HTTP Basic or by `client_id` and `client_secret` in the form. */
export function requireClient(ctx: WireContext, app: OAuthApp): void {
  const [clientId, secret] = basicCredentials(ctx.get('authorization')) ?? formCredentials(ctx.request.body);
  if (clientId === app.clientId && secret === app.clientSecret) return;
  throw oauthError(401, 'invalid_client', 'The client could not be authenticated.', {
    'www-authenticate': 'Basic realm="Roblox"',
  });
}

/** RFC 6749 §2.3.1: both parts are form-encoded before they are joined. */
function basicCredentials(header: string): [string, string] | undefined {
  const encoded = /^Basic\s+(\S+)$/i.exec(header)?.[1];
  if (encoded === undefined) return undefined;
  const [clientId = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  const form = new URLSearchParams(`id=${clientId}&secret=${secret}`);
  return [form.get('id') ?? '', form.get('secret') ?? ''];
}

function formCredentials(body: unknown): [unknown, unknown] {
  if (typeof body !== 'object' || body === null) return [undefined, undefined];
  const form: { client_id?: unknown; client_secret?: unknown } = body;
  return [form.client_id, form.client_secret];
}
