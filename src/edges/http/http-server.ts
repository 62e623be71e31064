import { createServer, type Server } from 'node:http';
import { promisify } from 'node:util';
import type Koa from 'koa';
import { droppedConnections } from '../../lib/metrics.js';

/** What a client may hold of this process (API-42); times in milliseconds. */
export interface ServerLimits {
  /** How long the head of a request may take to arrive. */
  headersMs: number;
  /** How long a whole request may take to arrive, its body included. The answer may take as long as it needs. */
  requestMs: number;
  /** More connections than that are refused at once. */
  connections: number;
  /** How often the times are looked at. */
  checkEveryMs: number;
}

const usualLimits: ServerLimits = { headersMs: 10_000, requestMs: 20_000, connections: 2_000, checkEveryMs: 2_000 };

/** The server of an application: a client that sends slowly gets a 408 and is disconnected. */
export function createHttpServer(app: Koa, changed: Partial<ServerLimits> = {}): Server {
  const limits = { ...usualLimits, ...changed };
  const server = createServer(
    {
      headersTimeout: limits.headersMs,
      requestTimeout: limits.requestMs,
      connectionsCheckingInterval: limits.checkEveryMs,
    },
    app.callback(),
  );
  server.maxConnections = limits.connections;
  server.on('drop', () => droppedConnections.inc());
  return server;
}

/** Takes no new connection, lets the running requests finish for `withinMs`, then cuts what is left. */
export async function closeServer(server: Server, withinMs: number): Promise<void> {
  // Callers keep their connection open after an answer, and would hold up the end.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), withinMs);
  await promisify(server.close.bind(server))();
  clearInterval(sweep);
  clearTimeout(cut);
}
