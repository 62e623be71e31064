import type { LookupAddress } from 'node:dns';
import { createServer, type Server } from 'node:http';
import type { AddressInfo, LookupFunction } from 'node:net';
import { promisify } from 'node:util';
import { expect } from 'chai';
import { type Dispatcher, request } from 'undici';
import { checkTargetUrl, type TargetRules, targetDispatcher } from '../../../src/features/webhooks/target-guard.js';
import { InvalidRequest } from '../../../src/lib/errors.js';
import { forbiddenHosts, forbiddenInDevelopment } from './forbidden-hosts.js';

const production: TargetRules = { webhookAllowHttp: false, webhookAllowPrivate: false };
/** Plain http, so that a connection would lead to a request; private addresses stay forbidden. */
const overHttp: TargetRules = { webhookAllowHttp: true, webhookAllowPrivate: false };
const development: TargetRules = { webhookAllowHttp: true, webhookAllowPrivate: true };

/** A public address; nothing is ever sent there. */
const publicAddress: LookupAddress = { address: '93.184.215.14', family: 4 };
const loopback: LookupAddress = { address: '127.0.0.1', family: 4 };

/** A URL's fault; null if it may be registered. */
function problemOf(url: string, rules: TargetRules): string | null {
  try {
    checkTargetUrl(url, rules);
    return null;
  } catch (error) {
    if (!(error instanceof InvalidRequest)) throw error;
    expect(error.issues.map(({ path }) => path)).to.deep.equal(['url']);
    return error.issues[0]?.message ?? '';
  }
}

// HOOK-22
describe('URLs of webhook targets', () => {
  it('The check of target URLs gives a public https target in its one spelling', () => {
    const spellings = [
      ['https://example.com', 'https://example.com/'],
      ['HTTPS://Example.COM:443/Hook?key=%20a', 'https://example.com/Hook?key=%20a'],
      ['https://example.com:8443/hook', 'https://example.com:8443/hook'],
      ['https://bücher.example/', 'https://xn--bcher-kva.example/'],
      ['https://example.com./', 'https://example.com./'],
      ['https://1572395042/', 'https://93.184.216.34/'],
      ['https://[2606:2800:021f:cb07:6820:80da:af6b:8b2c]/', 'https://[2606:2800:21f:cb07:6820:80da:af6b:8b2c]/'],
      ['https://localhost.example.com/', 'https://localhost.example.com/'],
    ];
    for (const [given = '', kept] of spellings) expect(checkTargetUrl(given, production)).to.equal(kept);
  });

  it('The check of target URLs explains which URLs it does not take', () => {
    const cases: [string, RegExp][] = [
      ['', /absolute URL/],
      ['/hook', /absolute URL/],
      ['https://', /absolute URL/],
      ['https://exa mple.com/', /absolute URL/],
      ['https://example.com:99999/', /absolute URL/],
      ['http://example.com/', /https/],
      ['ftp://example.com/', /https/],
      ['file:///etc/passwd', /https/],
      ['javascript:alert(1)', /https/],
      ['https://user@example.com/', /user name/],
      ['https://:secret@example.com/', /password/],
      ['https://example.com/#part', /fragment/],
      ['https://example.com/#', /fragment/],
      [`https://example.com/${'x'.repeat(2100)}`, /2,048 characters/],
      ['https://10.0.0.1/', /public.*10\.0\.0\.1/],
    ];
    for (const [url, words] of cases) expect(problemOf(url, production), url).to.match(words);
    for (const scheme of ['http', 'https']) expect(problemOf(`${scheme}://example.com/`, overHttp)).to.equal(null);
    const ofLength = (length: number) => `https://example.com/${'x'.repeat(length - 'https://example.com/'.length)}`;
    expect([2048, 2049].map((length) => problemOf(ofLength(length), production) === null)).to.deep.equal([true, false]);
    // The dot that ends a full name hides nothing.
    for (const host of ['printer.local.', 'localhost.'])
      expect(problemOf(`https://${host}/`, production)).to.be.a('string');
  });

  it('The check of target URLs refuses every forbidden host in any spelling', () => {
    expect(forbiddenHosts.length).to.be.at.least(36);
    for (const host of forbiddenHosts) {
      expect(problemOf(`https://${host}:8443/hook`, production), host).to.be.a('string');
    }
  });

  it('The check of target URLs allows private addresses in development, and nothing else that is forbidden', () => {
    for (const host of [
      'localhost',
      '127.0.0.1',
      '0x7f.1',
      '10.0.0.1',
      '[::1]',
      '[fd12::1]',
      '100.64.0.1',
      'intranet',
    ]) {
      expect(problemOf(`http://${host}:8080/hook`, development), host).to.equal(null);
    }
    for (const host of forbiddenInDevelopment) {
      expect(problemOf(`http://${host}/`, development), host).to.be.a('string');
    }
  });
});

describe('Connections to webhook targets', () => {
  let server: Server;
  let port: number;
  let connections = 0;
  let requests = 0;
  const dispatchers: Dispatcher[] = [];

  before(async () => {
    server = createServer((asked, answer) => {
      requests += 1;
      if (asked.url === '/moved') answer.writeHead(302, { location: '/hook' });
      answer.end('got it');
    });
    server.on('connection', () => {
      connections += 1;
    });
    // All this machine's addresses, over IPv4 and IPv6.
    await new Promise<void>((listening) => server.listen(0, '::', listening));
    port = (server.address() as AddressInfo).port;
  });
  beforeEach(() => {
    connections = 0;
    requests = 0;
  });
  afterEach(() => Promise.all(dispatchers.splice(0).map((dispatcher) => dispatcher.destroy())));
  after(async () => {
    server.closeAllConnections();
    await promisify(server.close.bind(server))();
  });

  async function post(url: string, rules: TargetRules, lookup?: LookupFunction): Promise<number> {
    const dispatcher = targetDispatcher({ rules, connectTimeoutMs: 1_000, ...(lookup && { lookup }) });
    dispatchers.push(dispatcher);
    const { statusCode, body } = await request(url, { method: 'POST', body: '{}', dispatcher });
    await body.dump();
    return statusCode;
  }

  /** Why nothing was sent: the error's code. */
  async function refusalOf(url: string, rules: TargetRules, lookup?: LookupFunction): Promise<unknown> {
    return post(url, rules, lookup).then(
      (status) => `answered ${status}`,
      (error: Error & { code?: string }) => error.code ?? error.name,
    );
  }

  /** A resolver that gives each answer here in turn, and then the last one again. */
  function resolver(...answers: LookupAddress[][]): LookupFunction {
    let asked = 0;
    return (_hostname, options, callback) => {
      const answer = answers[Math.min(asked, answers.length - 1)] ?? [];
      asked += 1;
      expect(options.all).to.equal(true);
      callback(null, answer);
    };
  }

  it('The webhook dispatcher connects to no forbidden host in any spelling, even when a server listens there', async () => {
    const toLoopback = resolver([loopback]);
    for (const host of forbiddenHosts) {
      // A host that is no valid one does not even make a URL.
      const code = await refusalOf(`http://${host}:${port}/hook`, overHttp, toLoopback);
      expect(code, host).to.be.oneOf(['FORBIDDEN_TARGET', 'UND_ERR_INVALID_ARG', 'ERR_INVALID_URL']);
    }
    expect(connections).to.equal(0);
  });

  it('The webhook dispatcher of development reaches this machine by many of the forbidden hosts', async () => {
    for (const host of ['127.0.0.1', '0x7f.1', '2130706433', 'localhost', '[::1]']) {
      expect(await post(`http://${host}:${port}/hook`, development), host).to.equal(200);
    }
    expect(requests).to.equal(5);
  });

  it('The webhook dispatcher judges the address that the connection itself uses, not an earlier one of the name', async () => {
    const rebinding = resolver([publicAddress], [loopback]);
    const before = await promisify<string, { all: true }, LookupAddress[]>(rebinding as never)('rebind.example', {
      all: true,
    });
    expect(before).to.deep.equal([publicAddress]);
    expect(await refusalOf(`http://rebind.example:${port}/hook`, overHttp, rebinding)).to.equal('FORBIDDEN_TARGET');
    expect(connections).to.equal(0);
  });

  it('The webhook dispatcher takes no answer of which a single address is forbidden, nor an empty one', async () => {
    const answers: LookupAddress[][] = [
      [publicAddress, loopback],
      [loopback, publicAddress],
      [publicAddress, { address: '::1', family: 6 }],
      [{ address: '::ffff:7f00:1', family: 6 }],
      [{ address: '169.254.169.254', family: 4 }],
      [{ address: 'fe80::1%lo', family: 6 }],
      [{ address: '', family: 4 }],
      [],
    ];
    for (const answer of answers) {
      const code = await refusalOf(`http://mixed.example:${port}/hook`, overHttp, resolver(answer));
      expect(code, JSON.stringify(answer)).to.equal('FORBIDDEN_TARGET');
    }
    expect(connections).to.equal(0);
  });

  it('The webhook dispatcher sends nothing when the connection has led elsewhere than the answer said', async () => {
    let reads = 0;
    const shifty = {
      family: 4,
      get address() {
        reads += 1;
        return reads === 1 ? publicAddress.address : loopback.address;
      },
    };
    expect(await refusalOf(`http://shifty.example:${port}/hook`, overHttp, resolver([shifty]))).to.equal(
      'FORBIDDEN_TARGET',
    );
    expect(connections).to.equal(1);
    expect(requests).to.equal(0);
  });

  it('The webhook dispatcher explains why a name leads nowhere', async () => {
    const failing: LookupFunction = (_hostname, _options, callback) =>
      callback(Object.assign(new Error('no such name'), { code: 'ENOTFOUND' }), []);
    expect(await refusalOf(`http://nowhere.example:${port}/hook`, overHttp, failing)).to.equal('ENOTFOUND');
    expect(connections).to.equal(0);
  });

  it('The webhook dispatcher sends over http only where that is allowed', async () => {
    const rules: TargetRules = { webhookAllowHttp: false, webhookAllowPrivate: true };
    expect(await refusalOf(`http://127.0.0.1:${port}/hook`, rules)).to.equal('FORBIDDEN_TARGET');
    expect(connections).to.equal(0);
  });

  it('The webhook dispatcher keeps metadata and link-local addresses from development too', async () => {
    for (const host of forbiddenInDevelopment) {
      expect(await refusalOf(`http://${host}:${port}/hook`, development), host).to.equal('FORBIDDEN_TARGET');
    }
    const toMetadata = resolver([{ address: '169.254.169.254', family: 4 }]);
    expect(await refusalOf('http://metadata.example/', development, toMetadata)).to.equal('FORBIDDEN_TARGET');
    expect(connections).to.equal(0);
  });

  it('The webhook dispatcher follows no redirect', async () => {
    expect(await post(`http://127.0.0.1:${port}/moved`, development)).to.equal(302);
    expect(requests).to.equal(1);
  });
});
