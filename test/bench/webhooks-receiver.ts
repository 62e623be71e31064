import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { serveParent } from './remote-process.js';

// A receiver in its own process, so that its work does not count as the deliverer's.

let received = 0;
const server = createServer((request, response) => {
  request.resume().once('end', () => {
    received += 1;
    response.end('ok');
  });
});

export const receiverVerbs = {
  /** @returns the address to deliver to. */
  listen: async (_: null): Promise<string> => {
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },
  /** How many requests there were since the last time. */
  take: (_: null): number => {
    const taken = received;
    received = 0;
    return taken;
  },
};

serveParent(receiverVerbs);
