import { createHmac } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';

/** One webhook delivery as it came in, and whether its signature holds. */
interface Received {
  event: string;
  data: Record<string, unknown>;
  isGenuine: boolean;
}

/** An integrator's program that listens for webhooks. */
export interface DemoReceiver {
  url: string;
  /** Its address at which every delivery fails. */
  downUrl: string;
  received: Received[];
  /** The secret that it was given when it was registered; without it nothing is genuine. */
  trust(secret: string): void;
  stop(): void;
}

const downPath = '/down';

export async function startReceiver(): Promise<DemoReceiver> {
  const received: Received[] = [];
  let trusted = '';
  const server = createServer(async (request, response) => {
    const body = await text(request);
    if (request.url === downPath) {
      response.writeHead(503).end('closed for repairs');
      return;
    }
    const [, t, v1] = /^t=(\d+),v1=([0-9a-f]+)/.exec(String(request.headers['x-link-signature'])) ?? [];
    const isGenuine = t !== undefined && v1 === createHmac('sha256', trusted).update(body).digest('hex');
    const { event, data } = JSON.parse(body);
    received.push({ event, data, isGenuine });
    response.writeHead(204).end();
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const base = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    url: `${base}/hooks`,
    downUrl: `${base}${downPath}`,
    received,
    trust: (secret) => {
      trusted = secret;
    },
    stop: () => {
      server.close();
      server.closeAllConnections();
    },
  };
}
