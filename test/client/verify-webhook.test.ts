import { execFile } from 'node:child_process';
import { createHmac } from 'node:crypto';
import { promisify } from 'node:util';
import { expect } from 'chai';
import fc from 'fast-check';
import { signWebhook } from '../../src/client/sign-webhook.js';
import { type DeliveryHeaders, verifyWebhook, WebhookNotGenuine } from '../../src/client/verify-webhook.js';

/** The vector that Standard Webhooks' libraries are tested with. */
const vector = {
  secret: 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw',
  id: 'msg_p5jXN8AQM9LWM0D4loKWxJek',
  at: 1_614_265_330,
  body: '{"test": 2432232314}',
  signature: 'v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=',
};
const headersOf = (signature: string, at: number | string = vector.at, id = vector.id) => ({
  'webhook-id': id,
  'webhook-timestamp': String(at),
  'webhook-signature': signature,
});
const otherSecret = `whsec_${'A'.repeat(32)}`;
const options = { now: () => vector.at * 1000 };
const refusal = (...args: Parameters<typeof verifyWebhook>): Promise<unknown> =>
  verifyWebhook(...args).catch((error: unknown) => error);
const expectForged = async (
  body: string,
  headers: DeliveryHeaders,
  secret: string | string[] = vector.secret,
): Promise<void> => {
  expect(await refusal(body, headers, secret, options)).to.be.instanceOf(WebhookNotGenuine);
};

describe('The webhook check of the client', () => {
  it('The vector of Standard Webhooks is genuine, as text and as bytes, from a record and from Headers', async () => {
    const headers = headersOf(vector.signature);
    for (const body of [vector.body, Buffer.from(vector.body)])
      for (const each of [headers, new Headers(headers), { ...headers, 'webhook-id': [vector.id] }])
        expect(await verifyWebhook(body, each, vector.secret, options)).to.deep.equal({ test: 2_432_232_314 });
  });

  it('A webhook’s headers may have any case', async () => {
    const headers = Object.entries(headersOf(vector.signature));
    for (const named of [(name: string) => name.toUpperCase(), (name: string) => name.replace('webhook', 'Webhook')]) {
      const cased = Object.fromEntries(headers.map(([name, value]) => [named(name), value]));
      expect(await verifyWebhook(vector.body, cased, vector.secret, options)).to.have.property('test');
    }
  });

  it('A receiver’s tests sign deliveries of their own', async () => {
    const signed = await signWebhook(vector.body, vector.secret, { ...options, id: vector.id });
    expect(signed).to.deep.equal(headersOf(vector.signature));
    const now = await signWebhook(new TextEncoder().encode('{"a":"ß"}'), vector.secret);
    expect(await verifyWebhook('{"a":"ß"}', now, vector.secret)).to.deep.equal({ a: 'ß' });
    expect(await signWebhook('', 'whsec_').catch((error: unknown) => error)).to.be.instanceOf(TypeError);
  });

  it('One of several signatures and one of several secrets are enough, as in a rotation', async () => {
    const several = headersOf(`v1a,${'A'.repeat(88)} v1,AAAA ${vector.signature}`);
    expect(await verifyWebhook(vector.body, several, [otherSecret, vector.secret], options)).to.have.property('test');
  });

  it('A webhook with another body, id, time, secret, version or form of the signature is not genuine', async () => {
    const { body, signature } = vector;
    await expectForged(`${body} `, headersOf(signature));
    await expectForged(body, headersOf(signature, vector.at, 'msg_other'));
    await expectForged(body, headersOf(signature, vector.at + 1));
    await expectForged(body, headersOf(signature), otherSecret);
    for (const wrong of [signature.replace('v1,', 'v2,'), signature.slice(0, -8), '', 'v1,', `${signature}x`.slice(1)])
      await expectForged(body, headersOf(wrong));
    for (const name of Object.keys(headersOf(signature))) {
      await expectForged(body, { ...headersOf(signature), [name]: undefined });
    }
  });

  it('A delivery is genuine up to 300 seconds from its signed time, or as many as are given', async () => {
    const at = (seconds: number, toleranceSeconds?: number) =>
      refusal(vector.body, headersOf(vector.signature), vector.secret, {
        now: () => (vector.at + seconds) * 1000,
        ...(toleranceSeconds !== undefined && { toleranceSeconds }),
      });
    for (const found of [at(300), at(-300), at(3_000, 3_600)]) expect(await found).not.to.be.instanceOf(Error);
    for (const late of [at(301), at(-301), at(2, 1)]) expect(await late).to.be.instanceOf(WebhookNotGenuine);
    for (const strange of ['', 'NaN', '1e9', '-1', ' 1614265330'])
      await expectForged(vector.body, headersOf('v1,', strange));
  });

  it('The check of webhooks refuses a text that can be no secret, since anyone could sign with its key', async () => {
    for (const given of [
      '',
      'whsec_',
      'undefined',
      'whsec_undefined',
      'whsec_QQ==',
      `whsec_${'A'.repeat(30)}`,
      'wh sec',
    ]) {
      const key = Buffer.from(given.replace(/^whsec_/, ''), 'base64');
      const forged = createHmac('sha256', key).update(`${vector.id}.${vector.at}.${vector.body}`).digest('base64');
      const both = [given, [vector.secret, given]] as const;
      for (const secret of both)
        expect(await refusal(vector.body, headersOf(`v1,${forged}`), secret, options), given).to.be.instanceOf(
          TypeError,
        );
    }
    expect(await refusal(vector.body, headersOf(vector.signature), [], options)).to.be.instanceOf(TypeError);
  });

  it('A tolerance that is no number of seconds is refused, and a clock without a time proves nothing', async () => {
    for (const toleranceSeconds of [Number.NaN, -1, Number.POSITIVE_INFINITY])
      expect(
        await refusal(vector.body, headersOf(vector.signature), vector.secret, { ...options, toleranceSeconds }),
      ).to.be.instanceOf(TypeError);
    const now = () => Number.NaN;
    expect(await refusal(vector.body, headersOf(vector.signature), vector.secret, { now })).to.be.instanceOf(
      WebhookNotGenuine,
    );
  });

  it('A signature of Node’s crypto is valid for any body, and each changed byte is noticed', async () => {
    const body = fc.json().map((text) => Buffer.from(text));
    await fc.assert(
      fc.asyncProperty(body, fc.uint8Array({ minLength: 24, maxLength: 64 }), fc.nat(), async (bytes, key, place) => {
        const secret = `whsec_${Buffer.from(key).toString('base64')}`;
        const signed = createHmac('sha256', key).update(`${vector.id}.${vector.at}.`).update(bytes).digest('base64');
        const headers = headersOf(`v1,${signed}`);
        expect(await verifyWebhook(bytes, headers, secret, options)).to.deep.equal(JSON.parse(bytes.toString()));
        const changed = Buffer.from(bytes);
        changed[place % changed.length] = (changed[place % changed.length] ?? 0) ^ 1;
        await expectForged(changed.toString('latin1'), headers, secret);
      }),
    );
  });

  it('A signature of Python’s hmac is valid', async function () {
    const bodies = ['{}', '"é🦊\u2028"', JSON.stringify({ data: 'ß'.repeat(10_000) })];
    const program = `
import base64, hmac, json, sys
for body in json.loads(sys.argv[3]):
    signed = f"{sys.argv[1]}.".encode() + body.encode()
    print("v1," + base64.b64encode(hmac.digest(base64.b64decode(sys.argv[2]), signed, "sha256")).decode())`;
    const args = [`${vector.id}.${vector.at}`, vector.secret.slice('whsec_'.length), JSON.stringify(bodies)];
    const run = promisify(execFile)('python3', ['-c', program, ...args]).catch((error: { code?: unknown }) => {
      if (error.code === 'ENOENT') return undefined;
      throw error;
    });
    const ran = await run;
    if (ran === undefined) this.skip();
    const signatures = ran.stdout.trim().split('\n');
    expect(signatures).to.have.length(bodies.length);
    for (const [index, body] of bodies.entries())
      expect(await verifyWebhook(body, headersOf(signatures[index] ?? ''), vector.secret, options)).to.deep.equal(
        JSON.parse(body),
      );
  });
});
