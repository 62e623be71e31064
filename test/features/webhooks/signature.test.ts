import { createHmac } from 'node:crypto';
import { expect } from 'chai';
import fc from 'fast-check';
import { Webhook, WebhookVerificationError } from 'standardwebhooks';
import { signaturesOf, signedHeaders } from '../../../src/features/webhooks/signature.js';

/** As an endpoint's secrets are made. */
const secretOf = (bytes: Uint8Array): string => `whsec_${Buffer.from(bytes).toString('base64')}`;
const secret = fc.uint8Array({ minLength: 32, maxLength: 32 }).map(secretOf);
const [oneSecret, otherSecret] = [secretOf(Buffer.alloc(32, 1)), secretOf(Buffer.alloc(32, 2))];

/** Whole seconds close to now, since receivers refuse old signatures. */
const at = new Date(Math.floor(Date.now() / 1000) * 1000 + 789);

function headersOf(body: Buffer, secrets: readonly string[], test?: boolean): Record<string, string> {
  const ids = { deliveryId: `dlv_${'a'.repeat(24)}`, eventId: `evt_${'b'.repeat(24)}` };
  const attempt = {
    event: 'verification.completed' as const,
    ...ids,
    body,
    secrets,
    at,
    ...(test !== undefined && { test }),
  };
  return signedHeaders(attempt, signaturesOf(attempt));
}

/** The seed's words alone: HMAC-SHA256 over the raw body; `t=<timestamp>,v1=<hmac-sha256>`. Parsed as Stripe's header is. */
function seedVerifies(header: string, body: Buffer, key: string): boolean {
  const pairs = header.split(',').map((pair) => [pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1)]);
  const times = pairs.filter(([name]) => name === 't').map(([, value]) => value);
  expect(times).to.deep.equal([String(Math.floor(at.getTime() / 1000))]);
  const expected = createHmac('sha256', Buffer.from(key, 'utf8')).update(body).digest('hex');
  return pairs.some(([name, value]) => name === 'v1' && value === expected);
}

/** Text in every kind: astral, combining, NUL, right to left, byte order marks, lone surrogates. */
const text = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.string({
    unit: fc.constantFrom(
      '\u0000',
      '\uFEFF',
      '\u202E',
      'e\u0301',
      '🦊',
      '👩🏽‍🚀',
      'שלום',
      '\uD800',
      '\uDFFF',
      '\u2028',
      '"',
      '\\',
      'ﬀ',
    ),
  }),
);
/** The request body: JSON text in UTF-8, with lone surrogates as escapes. */
const body = fc
  .record({
    id: fc.constant('evt_1'),
    data: fc.dictionary(text, fc.oneof(text, fc.array(text), fc.double(), fc.constant(null))),
  })
  .map((envelope) => Buffer.from(JSON.stringify(envelope)));

// HOOK-3, HOOK-4
describe('Signed headers', () => {
  it('A delivery carries the headers of the seed and of Standard Webhooks', () => {
    const sent = headersOf(Buffer.from('{}'), [oneSecret]);
    const seconds = String(Math.floor(at.getTime() / 1000));
    expect(sent).to.have.all.keys(
      'content-type',
      'x-link-signature',
      'x-link-event',
      'x-link-delivery',
      'webhook-id',
      'webhook-timestamp',
      'webhook-signature',
    );
    expect(sent).to.deep.include({
      'content-type': 'application/json',
      'x-link-event': 'verification.completed',
      'x-link-delivery': `dlv_${'a'.repeat(24)}`,
      'webhook-id': `evt_${'b'.repeat(24)}`,
      'webhook-timestamp': seconds,
    });
    expect(sent['x-link-signature']).to.match(new RegExp(`^t=${seconds},v1=[0-9a-f]{64}$`));
    expect(sent['webhook-signature']).to.match(/^v1,[A-Za-z0-9+/]{43}=$/);
    expect(headersOf(Buffer.from('{}'), [oneSecret], true)).to.deep.equal({ ...sent, 'x-link-test': 'true' });
    expect(headersOf(Buffer.from('{}'), [oneSecret], false)).to.deep.equal(sent);
  });

  it('A signature is the one that was computed once by hand, so that it never changes', () => {
    // printf '{"id":"evt_1"}' | openssl dgst -sha256 -hmac 'whsec_AQEB…'
    const fixed = headersOf(Buffer.from('{"id":"evt_1"}'), [oneSecret]);
    expect(fixed['x-link-signature']?.split('v1=')[1]).to.equal(
      '10f8c3b6ca0772165219fa9cb61d1295b00cd2fec9a0aa59b1511b2f037b8008',
    );
  });

  it('A signature holds by the seed’s words and the standardwebhooks package, whatever is in the body', () => {
    fc.assert(
      fc.property(body, fc.array(secret, { minLength: 1, maxLength: 3 }), (bytes, secrets) => {
        const sent = headersOf(bytes, secrets);
        for (const key of secrets) {
          expect(seedVerifies(sent['x-link-signature'] ?? '', bytes, key)).to.equal(true);
          expect(new Webhook(key).verify(bytes, sent)).to.deep.equal(JSON.parse(bytes.toString('utf8')));
        }
      }),
      { numRuns: 300 },
    );
  });

  it('A delivery is signed with every secret in force, in their order', () => {
    const bytes = Buffer.from('{"n":1}');
    const [both, first, second] = [[oneSecret, otherSecret], [oneSecret], [otherSecret]].map((secrets) =>
      headersOf(bytes, secrets),
    );
    const seedOf = (sent: Record<string, string> | undefined) => sent?.['x-link-signature']?.split(',').slice(1) ?? [];
    expect(seedOf(both)).to.deep.equal([...seedOf(first), ...seedOf(second)]);
    expect(both?.['webhook-signature']).to.equal(`${first?.['webhook-signature']} ${second?.['webhook-signature']}`);
  });

  it('A signature does not hold with another secret, nor for another body, id or time', () => {
    const bytes = Buffer.from('{"n":1}');
    const sent = headersOf(bytes, [oneSecret]);
    const webhook = new Webhook(oneSecret);
    expect(seedVerifies(sent['x-link-signature'] ?? '', bytes, otherSecret)).to.equal(false);
    expect(seedVerifies(sent['x-link-signature'] ?? '', Buffer.from('{"n":2}'), oneSecret)).to.equal(false);
    expect(() => new Webhook(otherSecret).verify(bytes, sent)).to.throw(WebhookVerificationError);
    expect(() => webhook.verify('{"n":2}', sent)).to.throw(WebhookVerificationError);
    expect(() => webhook.verify(bytes, { ...sent, 'webhook-id': 'evt_2' })).to.throw(WebhookVerificationError);
    const later = String(Number(sent['webhook-timestamp']) + 1);
    expect(() => webhook.verify(bytes, { ...sent, 'webhook-timestamp': later })).to.throw(WebhookVerificationError);
  });
});
