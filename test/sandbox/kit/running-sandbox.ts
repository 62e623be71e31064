import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { Fault } from './exchange.js';
import type { RecordedRequest } from './exchange-recorder.js';
import { FaultList, type Hold, type HoldingFault } from './fault-list.js';

/** A server that listens and answers nothing yet. */
export interface Listening {
  readonly server: Server;
  /** Its base URL, without a slash at the end. */
  readonly url: string;
}

/** Listens on a free port at 127.0.0.1, unless another is named. */
export async function listen({ port = 0, host = '127.0.0.1' }: { port?: number; host?: string }): Promise<Listening> {
  const server = createServer();
  server.listen(port, host);
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('The sandbox has no port.');
  return { server, url: `http://${host.includes(':') ? `[${host}]` : host}:${address.port}` };
}

/** What every running sandbox can do, whichever platform it stands in for. */
export abstract class RunningSandbox<Kind extends Fault = Fault> {
  readonly url: string;
  /** What the sandbox was asked, oldest first. */
  readonly requests: RecordedRequest[] = [];
  protected readonly faults = new FaultList<Kind>();
  protected readonly server: Server;

  constructor({ server, url }: Listening) {
    this.server = server;
    this.url = url;
  }

  /** Lets requests fail or mislead; the function that it gives back ends that. */
  inject(fault: Kind): () => void {
    return this.faults.inject(fault);
  }

  /**
   * Keeps the next request that matches (or the next `times`) waiting until `letGo`, and reports when the first waits.
   */
  hold(fault: HoldingFault<Kind>): Hold {
    return this.faults.hold(fault);
  }

  clearFaults(): void {
    this.faults.clear();
  }

  forgetRequests(): void {
    this.requests.length = 0;
  }

  /** Closes every connection and the port. */
  async stop(): Promise<void> {
    const closed = once(this.server, 'close');
    this.server.close();
    this.server.closeAllConnections();
    await closed;
  }
}
