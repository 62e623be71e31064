import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';

/**
 * The driver waits for ever for a command that it sends on a socket which is closed in the same turn of the event loop,
 * as it does when all break at once. A server that tells of its topology ends that, which the engine does not.
 */
const breakEveryMs = 20;

/** Stands between a service and the database engine, and can be cut. */
export interface DatabaseProxy {
  /** The address of the engine by way of the proxy, for the database `dbName`. */
  uri: string;
  /** Breaks every connection, and takes none until `mend`. */
  cut(): void;
  mend(): void;
  close(): void;
}

/** Opens a proxy to the engine at `engineUri`, whose host is the path of a Unix socket. */
export async function openDatabaseProxy(engineUri: string, dbName: string): Promise<DatabaseProxy> {
  const [, host = '', query = ''] = /^mongodb:\/\/([^/]+)\/(.*)$/.exec(engineUri) ?? [];
  const path = decodeURIComponent(host);
  const sockets = new Set<Socket>();
  let isCut = false;
  const endAll = async () => {
    for (const socket of sockets) {
      socket.destroy();
      await delay(breakEveryMs, undefined, { ref: false });
    }
  };
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const engine = connect(path);
    for (const [socket, other] of [
      [client, engine],
      [engine, client],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      socket.pipe(other);
    }
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  server.unref();
  const { port } = server.address() as AddressInfo;
  return {
    uri: `mongodb://127.0.0.1:${port}/${dbName}${query}`,
    cut() {
      isCut = true;
      void endAll();
    },
    mend() {
      isCut = false;
    },
    close() {
      for (const socket of sockets) socket.destroy();
      server.close();
    },
  };
}
