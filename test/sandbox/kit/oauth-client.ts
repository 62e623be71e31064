/** The client's id and secret: by HTTP Basic, or by `client_id` and `client_secret` in the form (RFC 6749 §2.3.1). */
export function clientCredentials(authorization: string, body: unknown): [id: unknown, secret: unknown] {
  const encoded = /^Basic\s+(\S+)$/i.exec(authorization)?.[1];
  if (encoded === undefined) return formCredentials(body);
  // Both parts are form-encoded before they are joined.
  const [clientId = '', secret = ''] = Buffer.from(encoded, 'base64').toString().split(':');
  const form = new URLSearchParams(`id=${clientId}&secret=${secret}`);
  return [form.get('id'), form.get('secret')];
}

function formCredentials(body: unknown): [unknown, unknown] {
  if (typeof body !== 'object' || body === null) return [undefined, undefined];
  const form: { client_id?: unknown; client_secret?: unknown } = body;
  return [form.client_id, form.client_secret];
}
