import { connect, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { apiDescription } from '../../../src/edges/http/openapi/api-description.js';
import { eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { type HttpSide, startHttp } from './http-setup.js';

/** The bytes from a server on a connection, and whether it has closed it. */
interface Conversation {
  socket: Socket;
  said(): string;
  ended: Promise<void>;
}

function talkTo(url: string, words: string): Conversation {
  const { hostname, port } = new URL(url);
  const socket = connect(Number(port), hostname);
  let heard = '';
  socket.on('data', (chunk) => {
    heard += chunk.toString();
  });
  socket.on('error', () => undefined);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  socket.write(words);
  return { socket, said: () => heard, ended };
}

const post = (headers: string) => `POST /api/billing/webhook HTTP/1.1\r\nhost: x\r\n${headers}\r\n`;
const signed = 'stripe-signature: t=1,v1=0\r\n';

// API-42, API-43
describe('Held connections', () => {
  let http: HttpSide;
  before(async () => {
    http = await startHttp();
  });
  after(() => http.close());

  const heard = async (words: string): Promise<string> => {
    const { said, ended, socket } = talkTo(http.url, words);
    while (!/\r\n\r\n/.test(said())) {
      if ((await Promise.race([ended.then(() => 'ended'), delay(20)])) === 'ended') break;
    }
    socket.destroy();
    return said();
  };

  it('The server ends a request with an unfinished head or body with 408', async () => {
    const hasty = await startHttp({ limits: { headersMs: 300, requestMs: 600, checkEveryMs: 50 } });
    for (const words of [
      'GET /healthz HTTP/1.1\r\nhost: x\r\n',
      post(`${signed}content-length: 1000\r\n`),
      `${post(`${signed}transfer-encoding: chunked\r\n`)}5\r\nhello\r\n`,
    ]) {
      const { said, ended } = talkTo(hasty.url, words);
      await ended;
      expect(said(), words).to.match(/^HTTP\/1\.1 408 /);
    }
    await hasty.close();
  });

  // API-44
  it('The server refuses a body that is announced too large, or not signed, without reading it', async () => {
    const large = await heard(post(`${signed}content-length: 1048577\r\n`));
    expect(large).to.match(/^HTTP\/1\.1 413 /);
    const unsigned = await heard(post('content-length: 1000\r\n'));
    expect(unsigned)
      .to.match(/^HTTP\/1\.1 400 /)
      .and.to.contain('signature_invalid');
    expect(await heard(post(`${signed}content-length: 2\r\n`).concat('{}'))).to.contain('signature_invalid');
  });

  it('The server holds a limited number of connections', async () => {
    const small = await startHttp({ limits: { connections: 5 } });
    const talks = Array.from({ length: 12 }, () => talkTo(small.url, 'GET '));
    const open = () => talks.filter(({ socket }) => !socket.closed);
    // The others are ended without a word.
    await eventually(() => open().length <= 5, 'the end of the others');
    for (const { socket } of open()) socket.write('/healthz HTTP/1.1\r\nhost: x\r\nconnection: close\r\n\r\n');
    await Promise.all(talks.map(({ ended }) => ended));
    expect(talks.filter(({ said }) => said().startsWith('HTTP/1.1 200 '))).to.have.length(5);
    expect(talks.filter(({ said }) => said() === '')).to.have.length(7);
    await small.close();
  });

  it('The running service ends an unfinished request with 408 too', async () => {
    const { url } = await world();
    const { said, ended } = talkTo(url, post(`${signed}content-length: 1000\r\n`));
    await ended;
    expect(said()).to.match(/^HTTP\/1\.1 408 /);
  });

  it('The service makes the API’s description only once', async () => {
    expect(apiDescription()).to.equal(apiDescription());
    const [one, two] = [await http.send('GET', '/api/openapi.json'), await http.send('GET', '/api/openapi.json')];
    expect(one.json.openapi).to.equal('3.1.0');
    expect(one.text).to.equal(two.text).and.to.equal(apiDescription().json.toString());
    expect((await http.send('GET', '/docs')).text).to.equal(apiDescription().html);
  });
});
