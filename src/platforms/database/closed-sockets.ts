import { createRequire } from 'node:module';
import type { Socket } from 'node:net';

/** The used part from the driver's own connection class, which it does not export. */
interface DriverConnection {
  readonly socket: Socket;
  cleanup(error: Error): void;
}

let mended = false;

/**
 * Works around a fault in mongodb 7.8. A command on a socket that has ended but not closed, or that ends while waiting,
 * waits for `drain` forever. If that command is the monitor's, the driver never reconnects. Here every closed
 * connection emits `drain` once more, so the driver notices the close.
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
