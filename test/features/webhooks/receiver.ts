import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';

/** A request that the receiver has had, whole. */
interface Received {
  path: string;
  headers: IncomingHttpHeaders;
  body: Buffer;
  at: number;
}

/** How the receiver answers a request. */
export type Behaviour = (response: ServerResponse, received: Received) => void | Promise<void>;

export interface Receiver {
  /** `http://127.0.0.1:port/hook` */
  url: string;
  received: Received[];
  /** Changes how it answers from now on. It begins with 204. */
  behave(behaviour: Behaviour): void;
  /** Connections open now, and the most that were open together. */
  sockets(): { open: number; most: number };
  close(): Promise<void>;
}

/** A subscriber's server that can be made to fail in every way. */
export async function startReceiver(): Promise<Receiver> {
  const received: Received[] = [];
  const sockets = new Set<Socket>();
  let most = 0;
  let behaviour: Behaviour = answer(204);
  const server = createServer((request, response) => {
    void readRequest(request).then(async (one) => {
      received.push(one);
      await behaviour(response, one);
    });
  });
  server.on('connection', (socket) => {
    sockets.add(socket);
    most = Math.max(most, sockets.size);
    socket.once('close', () => sockets.delete(socket));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/hook`,
    received,
    behave: (next) => {
      behaviour = next;
    },
    sockets: () => ({ open: sockets.size, most }),
    close: async () => {
      server.close();
      server.closeAllConnections();
      await once(server, 'close');
    },
  };
}

async function readRequest(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk);
  const { url = '', headers } = request;
  return { path: url, headers, body: Buffer.concat(chunks), at: Date.now() };
}

export const answer =
  (status: number, headers: Record<string, string> = {}, body = ''): Behaviour =>
  (response) => {
    response.writeHead(status, headers).end(body);
  };

/** Takes the request and says nothing. */
export const hang: Behaviour = () => {};

/** Breaks the connection instead of answering. */
export const reset: Behaviour = ({ socket }) => {
  socket?.resetAndDestroy();
};

/** Answers 200 and then breaks the connection within the body that it promised. */
export const breakOff: Behaviour = (response) => {
  response.writeHead(200, { 'content-length': '100' });
  response.write('half', () => response.socket?.resetAndDestroy());
};

/** Sends an answer that is not HTTP. */
export const speakNonsense: Behaviour = ({ socket }) => {
  socket?.end('SMTP ready when you are\r\n\r\n');
};

/** Answers 200 immediately, and its body a byte at a time. */
export const drip =
  (everyMs = 1_000): Behaviour =>
  (response) => {
    response.writeHead(200, { 'content-type': 'text/plain' });
    dripInto(everyMs, response.socket, () => response.write('.'));
  };

/** Sends even the status line a byte at a time. */
export const dripStatus =
  (everyMs = 1_000): Behaviour =>
  ({ socket }) => {
    const letters = [...'HTTP/1.1 200 OK\r\ncontent-length: 0\r\n\r\n'];
    dripInto(everyMs, socket, () => socket?.write(letters.shift() ?? ''));
  };

function dripInto(everyMs: number, socket: Socket | null, write: () => void): void {
  write();
  const timer = setInterval(write, everyMs);
  socket?.once('close', () => clearInterval(timer));
}

/** Answers with a body this many bytes long, as fast as they are taken; `sent` counts those. */
export function flood(bytes: number): Behaviour & { sent: number } {
  const chunk = Buffer.alloc(64 * 1024, 'x');
  const behaviour: Behaviour & { sent: number } = Object.assign(
    (response: ServerResponse) => {
      response.writeHead(200, { 'content-length': String(bytes) });
      const write = () => {
        while (behaviour.sent < bytes && !response.destroyed) {
          behaviour.sent += chunk.length;
          if (!response.write(chunk)) return;
        }
        response.end();
      };
      response.on('drain', write);
      write();
    },
    { sent: 0 },
  );
  return behaviour;
}
