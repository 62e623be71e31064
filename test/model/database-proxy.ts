import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Socket } from 'node:net';

/** Stands between a service and the database engine, and can be cut. */
export interface DatabaseProxy {
  /** The engine's address through the proxy, for the database `dbName`. */
  uri: string;
  /** Breaks every connection, and takes none until `mend`. */
  cut(): void;
  mend(): void;
  close(): void;
}

/** Receives every passing message, whole; false: it is not passed on. */
export interface DatabaseTap {
  sent(message: Buffer): boolean;
  answered(message: Buffer): boolean;
}

/** Opens a proxy to the engine at `engineUri`; its host is a Unix socket's path. */
export async function openDatabaseProxy(engineUri: string, dbName: string, tap?: DatabaseTap): Promise<DatabaseProxy> {
  const [, host = '', query = ''] = /^mongodb:\/\/([^/]+)\/(.*)$/.exec(engineUri) ?? [];
  const path = decodeURIComponent(host);
  const sockets = new Set<Socket>();
  let isCut = false;
  const endAll = () => {
    for (const socket of sockets) socket.destroy();
  };
  const server = createServer((client) => {
    if (isCut) return void client.destroy();
    const engine = connect(path);
    for (const [socket, other, look] of [
      [client, engine, tap?.sent],
      [engine, client, tap?.answered],
    ] as const) {
      sockets.add(socket);
      socket.on('error', () => other.destroy());
      socket.once('close', () => {
        sockets.delete(socket);
        other.destroy();
      });
      if (look === undefined) socket.pipe(other);
      else
        socket.on(
          'data',
          byMessage((message) => look(message) && other.write(message)),
        );
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
      endAll();
    },
    mend() {
      isCut = false;
    },
    close() {
      endAll();
      server.close();
    },
  };
}

/** Cuts the incoming bytes into messages: each begins with its length. */
function byMessage(take: (message: Buffer) => unknown): (chunk: Buffer) => void {
  let waiting: Buffer = Buffer.alloc(0);
  return (chunk) => {
    waiting = waiting.length === 0 ? chunk : Buffer.concat([waiting, chunk]);
    while (waiting.length >= 4 && waiting.length >= waiting.readInt32LE(0)) {
      const length = waiting.readInt32LE(0);
      take(waiting.subarray(0, length));
      waiting = waiting.subarray(length);
    }
  };
}
