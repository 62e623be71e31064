import { createServer as createTlsServer } from 'node:https';
import { createServer } from 'node:net';
import { expect } from 'chai';
import type { Dispatcher } from 'undici';
import {
  type AttemptResult,
  attemptDelivery,
  attemptLimitMs,
} from '../../../src/features/webhooks/delivery-attempt.js';
import { targetDispatcher } from '../../../src/features/webhooks/target-guard.js';
import { eventually } from '../../support/build.js';
import { freePort } from '../../support/world.js';
import {
  answer,
  type Behaviour,
  breakOff,
  drip,
  dripStatus,
  flood,
  hang,
  type Receiver,
  reset,
  speakNonsense,
  startReceiver,
} from './receiver.js';

/** Stands for the ten seconds where they are not the point. */
const shortMs = 3_000;

const anywhere = { webhookAllowHttp: true, webhookAllowPrivate: true };
const strict = { webhookAllowHttp: false, webhookAllowPrivate: false };

let receiver: Receiver;
let dispatcher: Dispatcher;

const attempt = (url = receiver.url, limitMs = shortMs): Promise<AttemptResult> =>
  attemptDelivery({
    url,
    headers: { 'x-link-event': 'role.synced' },
    body: Buffer.from('{"a":"ü"}'),
    dispatcher,
    limitMs,
  });

const attemptAgainst = (behaviour: Behaviour, limitMs?: number): Promise<AttemptResult> => {
  receiver.behave(behaviour);
  return attempt(receiver.url, limitMs);
};

const failures: [string, Behaviour, Partial<AttemptResult>][] = [
  ['does not answer', hang, { outcome: 'timeout' }],
  ['breaks the connection', reset, { outcome: 'reset' }],
  ['breaks off within its answer', breakOff, { outcome: 'reset', status: 200 }],
  ['does not speak HTTP', speakNonsense, { outcome: 'invalid_answer' }],
  ['drips its status line', dripStatus(), { outcome: 'timeout' }],
  ['drips its body', drip(), { outcome: 'timeout', status: 200 }],
];

/** Registers hooks: each test gets a receiver and a dispatcher that may go anywhere. */
function useReceiver(): void {
  beforeEach(async () => {
    receiver = await startReceiver();
    dispatcher = targetDispatcher({ rules: anywhere });
  });

  afterEach(async () => {
    await dispatcher.destroy();
    await receiver.close();
  });
}

// HOOK-13
describe('Attempts to deliver', () => {
  useReceiver();

  it('A delivery attempt sends its bytes and headers, and keeps status, time and the start of the answer', async () => {
    const result = await attemptAgainst(answer(201, { 'content-type': 'text/plain' }, 'Thank you ✓'));
    expect(result).to.include({ outcome: 'succeeded', status: 201, responseBody: 'Thank you ✓' });
    expect(result.latencyMs).to.be.within(0, shortMs);
    expect(receiver.received).to.have.length(1);
    const [{ body, headers }] = receiver.received as [(typeof receiver.received)[0]];
    expect(body.toString()).to.equal('{"a":"ü"}');
    expect(headers).to.include({ 'x-link-event': 'role.synced', 'content-length': '10' });
  });

  for (const status of [200, 202, 204, 299]) {
    it(`A delivery attempt counts ${status} as delivered`, async () => {
      expect(await attemptAgainst(answer(status))).to.include({ outcome: 'succeeded', status });
    });
  }

  for (const status of [400, 401, 404, 410, 429, 500, 503]) {
    it(`A delivery attempt counts ${status} as failed, and stores the answer`, async () => {
      const result = await attemptAgainst(answer(status, { 'retry-after': '120' }, 'no'));
      expect(result).to.include({ outcome: 'http_error', status, responseBody: 'no', retryAfterMs: 120_000 });
    });
  }

  for (const status of [301, 302, 303, 304, 307, 308]) {
    it(`A delivery attempt counts ${status} as failed and does not go where it leads`, async () => {
      const elsewhere = await startReceiver();
      const result = await attemptAgainst(answer(status, { location: elsewhere.url }));
      expect(result).to.include({ outcome: 'redirect', status });
      expect(elsewhere.received).to.deep.equal([]);
      await elsewhere.close();
    });
  }

  for (const [act, behaviour, expected] of failures) {
    it(`A delivery attempt fails in time where the receiver ${act}, and leaves no connection open`, async () => {
      const result = await attemptAgainst(behaviour, expected.outcome === 'timeout' ? 1_500 : shortMs);
      expect(result).to.include(expected);
      expect(result.error).to.be.a('string').that.is.not.equal('');
      expect(result.latencyMs).to.be.below(9_000);
      await eventually(() => receiver.sockets().open === 0, 'the end of the connection');
    });
  }

  it('A delivery attempt fails when no server listens, the name has no address, or the certificate is not good', async () => {
    expect(await attempt(`http://127.0.0.1:${await freePort()}/`)).to.include({ outcome: 'refused' });
    const noName = targetDispatcher({
      rules: anywhere,
      lookup: (host, _options, callback) =>
        callback(Object.assign(new Error(`getaddrinfo ENOTFOUND ${host}`), { code: 'ENOTFOUND' }), []),
    });
    const request = { url: 'http://nowhere.example/', headers: {}, body: Buffer.from('{}'), limitMs: shortMs };
    const lost = await attemptDelivery({ ...request, dispatcher: noName });
    expect(lost).to.include({ outcome: 'dns', error: 'getaddrinfo ENOTFOUND nowhere.example' });
    const tls = createTlsServer().listen(0, '127.0.0.1');
    await eventually(() => tls.listening, 'the server');
    const address = tls.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    expect(await attempt(`https://127.0.0.1:${address.port}/`)).to.include({ outcome: 'tls' });
    tls.close();
    await noName.destroy();
  });

  it('A delivery attempt at a forbidden target fails without a connection', async () => {
    const guarded = targetDispatcher({ rules: strict });
    const url = receiver.url.replace('http:', 'https:');
    const result = await attemptDelivery({ url, headers: {}, body: Buffer.from('{}'), dispatcher: guarded });
    expect(result).to.include({ outcome: 'forbidden_target' });
    expect(receiver.sockets().most).to.equal(0);
    await guarded.destroy();
  });
});

describe('Limits of an attempt', () => {
  useReceiver();

  it('A delivery attempt counts a connection that takes too long as a timeout', async () => {
    const silent = createServer();
    silent.listen(0, '127.0.0.1');
    await eventually(() => silent.listening, 'the server');
    const address = silent.address();
    if (address === null || typeof address === 'string') throw new Error('no port');
    // The TLS handshake is never answered.
    const hasty = targetDispatcher({ rules: anywhere, connectTimeoutMs: 200 });
    const request = { headers: {}, body: Buffer.from('{}'), dispatcher: hasty };
    const result = await attemptDelivery({ url: `https://127.0.0.1:${address.port}/`, ...request });
    expect(result).to.include({ outcome: 'timeout' });
    expect(result.latencyMs).to.be.below(9_000);
    await hasty.destroy();
    silent.close();
  });

  it('A delivery attempt that our own end breaks off counts as interrupted', async () => {
    receiver.behave(hang);
    const sent = attempt(receiver.url, 5_000);
    await eventually(() => receiver.received.length === 1, 'the request');
    await dispatcher.destroy();
    expect(await sent).to.include({ outcome: 'interrupted' });
  });

  it('A delivery attempt reads 4 KiB of an answer of 1 GB, cuts no character in two, and hangs up', async () => {
    const sea = flood(1024 ** 3);
    const before = process.memoryUsage().rss;
    const result = await attemptAgainst(sea, 5_000);
    expect(result).to.include({ outcome: 'succeeded', status: 200, responseBody: 'x'.repeat(4096) });
    await eventually(() => receiver.sockets().open === 0, 'the end of the connection');
    expect(sea.sent).to.be.below(64 * 1024 ** 2);
    expect(process.memoryUsage().rss - before).to.be.below(200 * 1024 ** 2);

    const cut = await attemptAgainst(answer(200, {}, `${'x'.repeat(4095)}üü`));
    expect(cut.responseBody).to.equal('x'.repeat(4095));
  });

  it('A delivery attempt reads no more than the answer has announced', async () => {
    for (const head of ['content-length: 10', 'content-length: 10\r\ntransfer-encoding: chunked', 'content-length: ']) {
      const result = await attemptAgainst(({ socket }) => {
        socket?.on('error', () => undefined);
        socket?.write(`HTTP/1.1 200 OK\r\n${head}\r\n\r\nffff\r\n${'x'.repeat(0xffff)}\r\n`);
      }, 5_000);
      expect(result.responseBody?.length ?? 0, head).to.be.at.most(10);
      expect(result.latencyMs, head).to.be.below(5_000);
    }
  });

  it('Delivery attempts to the same receiver use a connection again', async () => {
    for (let n = 0; n < 5; n += 1) expect(await attempt()).to.include({ outcome: 'succeeded' });
    // The answer's end may come a moment before its connection is free again.
    expect(receiver.sockets().most).to.be.at.most(2);
  });

  it('Many failed delivery attempts leak neither connections nor memory', async () => {
    const kinds = [reset, breakOff, hang, drip(50), flood(1024 ** 3), answer(500, {}, 'x'.repeat(100_000))];
    let turn = 0;
    receiver.behave((response, received) => kinds[turn++ % kinds.length]?.(response, received));
    const fail = async (times: number) => {
      for (let round = 0; round < times / 50; round += 1) {
        await Promise.all(Array.from({ length: 50 }, () => attempt(receiver.url, 100)));
      }
    };
    await fail(100);
    const before = process.memoryUsage();
    await fail(500);
    // Undici connects again after a request that was broken off, and keeps that connection for the next one.
    expect(receiver.sockets().most).to.be.at.most(100);
    await dispatcher.destroy();
    await eventually(() => receiver.sockets().open === 0, 'the end of the connections');
    expect(process.memoryUsage().rss - before.rss).to.be.below(150 * 1024 ** 2);
  });

  it('A receiver that drips, hangs or floods has ten seconds, and no more', async () => {
    expect(attemptLimitMs).to.equal(10_000);
    const sea = flood(1024 ** 3);
    const behaviours: [string, Behaviour][] = [
      ['/drip', drip()],
      ['/drip-status', dripStatus()],
      ['/hang', hang],
      ['/flood', sea],
    ];
    receiver.behave((response, received) =>
      behaviours.find(([path]) => path === received.path)?.[1](response, received),
    );
    const results = await Promise.all(behaviours.map(([path]) => attempt(new URL(path, receiver.url).href, 1_500)));
    expect(results.map(({ outcome }) => outcome)).to.deep.equal(['timeout', 'timeout', 'timeout', 'succeeded']);
    for (const { latencyMs } of results.slice(0, 3)) expect(latencyMs).to.be.within(1_400, 9_000);
    await dispatcher.destroy();
    await eventually(() => receiver.sockets().open === 0, 'the end of the connections');
  });
});
