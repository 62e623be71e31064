import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { toProblem } from '../../src/edges/http/problem.js';
import { RateLimited } from '../../src/lib/errors.js';
import { world } from '../support/world.js';

/** A proxy to the service with the faults that programs must handle. */
export interface Road {
  url: string;
  /**
   * The faults so far: `429 GET /members` for the refused first list, `lost POST /webhooks` for the lost first answer.
   */
  played: string[];
  close(): Promise<void>;
}

/** Refuses a list's first reading as the service would, and breaks the connection on the first thing created. */
export async function startRoad(): Promise<Road> {
  const { url: service } = await world();
  const played: string[] = [];
  const isFirst = (what: string): boolean => !played.includes(what) && played.push(what) > 0;
  const pass = async (request: IncomingMessage, response: ServerResponse): Promise<void> => {
    const { method = 'GET', url = '' } = request;
    if (url.includes('/members?') && isFirst('429 GET /members')) return refuse(response);
    const answer = await passOn(request, service + url);
    const body = Buffer.from(await answer.arrayBuffer());
    if (method === 'POST' && url.endsWith('/webhooks') && isFirst('lost POST /webhooks')) {
      response.socket?.destroy();
      return;
    }
    const headers = [...answer.headers].filter(([name]) => !ofConnection.includes(name));
    response.writeHead(answer.status, Object.fromEntries(headers)).end(body);
  };
  const server = createServer((request, response) => void pass(request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    played,
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

/** Headers that belong to one connection, and are set again on the next. */
const ofConnection = ['connection', 'keep-alive', 'transfer-encoding', 'content-length', 'content-encoding'];

async function passOn(request: IncomingMessage, url: string): Promise<Response> {
  const { method = 'GET' } = request;
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const known = ['authorization', 'content-type', 'idempotency-key'];
  const headers = known.flatMap((name) => {
    const value = request.headers[name];
    return value === undefined ? [] : [[name, String(value)] as [string, string]];
  });
  return fetch(url, { method, headers, ...(method !== 'GET' && { body: Buffer.concat(chunks) }) });
}

function refuse(response: ServerResponse): void {
  const problem = toProblem(new RateLimited(1), 'bad-road');
  const headers = { 'content-type': 'application/problem+json', 'retry-after': '1' };
  response.writeHead(problem.status, headers).end(JSON.stringify(problem));
}
