import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** What is used of the driver's own connection, which it does not export. */
interface DriverConnection {
  readonly socket: Socket;
  cleanup(error: Error): void;
}

let mended = false;

/**
 * Mends mongodb 7.8: a command that is written to a socket between its end and its `close` event, or that waits for
 * a socket which ends, waits for `drain` for good. When it is the monitor's, the driver never looks for the server
 * again. Here every closed connection says `drain` once more, and the driver then sees that it is closed.
 */
export function mendClosedSockets(): void {
  if (mended) return;
  mended = true;
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('mongoose'));
  const driver: { Connection: { prototype: DriverConnection } } = createRequire(import.meta.url)(
    resolve('mongodb/lib/cmap/connection.js'),
  );
  const { prototype } = driver.Connection;
  const { cleanup } = prototype;
  if (typeof cleanup !== 'function') throw new Error('This version of mongodb is not the one that is mended here.');
  prototype.cleanup = function (error) {
    cleanup.call(this, error);
    setImmediate(() => this.socket.emit('drain'));
  };
}
