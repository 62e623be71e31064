import { once } from 'node:events';
import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import type { Points } from './points.js';

/** Stands before a platform's stand-in, and numbers the calls. */
export interface Gate {
  /** Replaces the stand-in's origin. */
  url: string;
  close(): void;
}

/** Opens a gate to the stand-in at `origin`; `name` begins its calls' labels. */
export async function openGate(name: string, origin: string, points: Points): Promise<Gate> {
  const server = createServer((call, answer) => {
    handOn(call, answer).catch(() => call.socket.destroy());
  });

  async function handOn(call: IncomingMessage, answer: ServerResponse): Promise<void> {
    const body = await buffer(call);
    const point = points.enter(`${name} ${call.method} ${shapeOf(call.url ?? '')}`);
    if (point === 'struck') return void call.socket.destroy();
    const onward = request(new URL(call.url ?? '/', origin), { method: call.method, headers: call.headers });
    onward.end(body);
    const [reply]: [IncomingMessage] = (await once(onward, 'response')) as [IncomingMessage];
    const content = await buffer(reply);
    if (point !== undefined && !points.leave(point)) return void call.socket.destroy();
    answer.writeHead(reply.statusCode ?? 0, reply.rawHeaders.length > 0 ? rawPairs(reply.rawHeaders) : {});
    answer.end(content);
  }

  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const close = (): void => {
    server.close();
    server.closeAllConnections();
  };
  return { url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, close };
}

/** The body is sent whole. */
function rawPairs(raw: readonly string[]): string[] {
  const pairs: string[] = [];
  for (let at = 0; at < raw.length; at += 2) {
    if (raw[at]?.toLowerCase() !== 'transfer-encoding') pairs.push(raw[at] ?? '', raw[at + 1] ?? '');
  }
  return pairs;
}

/** A path without its query and ids, which differ from run to run: parts with a digit, and those before a verb. */
const shapeOf = (url: string): string =>
  url.replace(/\?.*/, '').replace(/\/(?!v\d+\/)(?:[^/:]*\d[^/:]*|[^/:]+(?=:))(?=[/:]|$)/g, '/#');
