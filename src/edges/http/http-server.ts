import { createServer, type Server } from 'node:http';
import { promisify } from 'node:util';
import type Koa from 'koa';
import { droppedConnections } from '../../lib/metrics.js';

/** Limits for a client in this process (API-42); times in milliseconds. */
export interface ServerLimits {
  /** Maximum time for a request's head to arrive. */
  headersMs: number;
  /** Maximum time for a whole request to arrive, including its body. The answer has no limit. */
  requestMs: number;
  /** Further connections are refused immediately. */
  connections: number;
  /** Interval for checking the times. */
  checkEveryMs: number;
}

const usualLimits: ServerLimits = { headersMs: 10_000, requestMs: 20_000, connections: 2_000, checkEveryMs: 2_000 };

/** An application's server. A client that sends too slowly gets a 408 and is disconnected. */
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

/** Accepts no new connections, lets running requests finish for `withinMs`, then cuts the rest. */
export async function closeServer(server: Server, withinMs: number): Promise<void> {
  // Callers keep connections open after an answer, and would delay the end.
  const sweep = setInterval(() => server.closeIdleConnections(), 50);
  const cut = setTimeout(() => server.closeAllConnections(), withinMs);
  await promisify(server.close.bind(server))();
  clearInterval(sweep);
  clearTimeout(cut);
}
