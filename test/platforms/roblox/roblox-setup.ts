import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { expect } from 'chai';
import { stopBackgroundSyncs } from '../../../src/features/sync/member/background-syncs.js';
import { GamePlatformUnavailable } from '../../../src/lib/errors.js';
import { logger } from '../../../src/lib/logger.js';
import { startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { jobsRunning } from '../../../src/platforms/jobs/runs.js';
import { configureRoblox, type RobloxConfig } from '../../../src/platforms/roblox/roblox-config.js';
import { closeRoblox } from '../../../src/platforms/roblox/roblox-host.js';
import { type ContractChecker, createContractChecker } from '../../contracts/contract-checker.js';
import { type RobloxSandbox, startRobloxSandbox } from '../../sandbox/roblox/roblox-sandbox.js';

/**
 * Gives a `describe`'s tests their own Roblox, and each test an adapter with empty caches. In the end, no request may
 * have gone against Roblox's published contract.
 */
export function useRobloxSandbox(settings: { openCloud?: boolean; timeoutMs?: number } = {}): () => RobloxSandbox {
  let sandbox: RobloxSandbox;
  let contract: ContractChecker | undefined;
  before(async () => {
    contract = createContractChecker();
    sandbox = await startRobloxSandbox({
      // A sandbox fault (5xx) strikes before it has read the body, which then seems to be missing.
      observe: (exchange) => exchange.status < 500 && contract?.observe(exchange),
    });
  });
  useQuiet();
  beforeEach(() => {
    sandbox.clearFaults();
    sandbox.forgetRequests();
    configureRoblox(configFor(sandbox, settings));
  });
  afterEach(() => closeRoblox());
  after(async () => {
    await sandbox.stop();
    expect(contract?.violations ?? []).to.deep.equal([]);
  });
  return () => sandbox;
}

/**
 * Silences work next to a `describe`'s tests: the service's jobs, which would call these tests' Roblox too, and
 * warnings about intended failures.
 */
export function useQuiet(): void {
  const usual = logger.level;
  let wereRunning = false;
  before(async () => {
    wereRunning = jobsRunning();
    await stopJobs(1_000);
    await stopBackgroundSyncs();
  });
  beforeEach(() => {
    logger.level = 'silent';
  });
  afterEach(() => {
    logger.level = usual;
  });
  after(async () => {
    if (wereRunning) await startJobs();
  });
}

/** The adapter's configuration for a sandbox; with its Open Cloud key only when asked for. */
export function configFor(
  sandbox: RobloxSandbox,
  settings: { openCloud?: boolean; timeoutMs?: number } = {},
): RobloxConfig {
  const { usersUrl, groupsUrl, apisUrl, thumbnailsUrl, oauth, apiKey } = sandbox;
  return {
    usersUrl,
    groupsUrl,
    apisUrl,
    thumbnailsUrl,
    oauth,
    timeoutMs: settings.timeoutMs ?? 2_000,
    ...(settings.openCloud && { apiKey }),
  };
}

/** How often the sandbox was asked for paths that match. */
export function countRequests(sandbox: RobloxSandbox, path: RegExp): number {
  return sandbox.requests.filter((request) => path.test(request.path)).length;
}

/** Passes only when the promise is rejected with GamePlatformUnavailable. */
export async function expectUnavailable(promise: Promise<unknown>): Promise<void> {
  const outcome = await promise.catch((error: unknown) => error);
  expect(outcome).to.be.instanceOf(GamePlatformUnavailable);
}

/** A server for false answers, which the sandbox never gives. */
export async function startScriptedRoblox(
  answer: (request: IncomingMessage, response: ServerResponse) => void | Promise<void>,
): Promise<{ config: RobloxConfig; requests: string[]; stop(): Promise<void> }> {
  const requests: string[] = [];
  const server = createServer((request, response) => {
    requests.push(request.url ?? '');
    Promise.resolve(answer(request, response)).catch((error: Error) => response.destroy(error));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const url = `http://127.0.0.1:${typeof address === 'object' ? address?.port : ''}`;
  return {
    config: { usersUrl: url, groupsUrl: url, apisUrl: url, thumbnailsUrl: url, apiKey: 'key', timeoutMs: 1_000 },
    requests,
    async stop() {
      const closed = once(server, 'close');
      server.close();
      server.closeAllConnections();
      await closed;
    },
  };
}

export function sendJson(response: ServerResponse, body: unknown, status = 200, headers: Record<string, string> = {}) {
  response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
}
