import { rmSync } from 'node:fs';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { loadConfig } from '../../src/config/config.js';
import { type Service, startService } from '../../src/main.js';
import { createContractChecker } from '../contracts/contract-checker.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import type { ExchangeObserver } from '../sandbox/kit/exchange.js';
import { freePort } from '../sandbox/kit/free-port.js';
import { sandboxEnvironment } from '../sandbox/kit/sandbox-environment.js';
import { type LinkSources, startLinkSources } from '../sandbox/link-sources.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { type StripeSandbox, startStripeSandbox } from '../sandbox/stripe/stripe-sandbox.js';
import { noteSecretsIn } from './log-canaries.js';
import { openTestDatabase, type TestDatabase } from './test-database.js';

/** The whole service, running in this process against the sandbox: started once for all test files. */
export interface World {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  stripe: StripeSandbox;
  linkSources: LinkSources;
  service: Service;
  /** The service's, which is also its PUBLIC_URL. */
  url: string;
  /** The environment that the service was started with, for starting another one. */
  environment: Record<string, string>;
  database: TestDatabase;
  /** Requests and answers that broke a provider's contract; undefined where the contracts are not there. */
  contractViolations: readonly string[] | undefined;
}

/** A platform admin in the service under test. */
export const platformAdminId = '100000000000000001';

let started: Promise<World> | undefined;

/** This run's world. */
export function world(): Promise<World> {
  started ??= startWorld();
  return started;
}

async function startWorld(): Promise<World> {
  const checker = createContractChecker();
  const observe = checker === undefined ? {} : { observe: checker.observe };
  const observeDiscord: ExchangeObserver = (exchange) => {
    noteSecretsIn(JSON.stringify(exchange.requestBody) ?? '');
    checker?.observe(exchange);
  };
  const [linkSources, discord, roblox, stripe, database, dataDir, port] = await Promise.all([
    startLinkSources(),
    startDiscordSandbox({
      observe: observeDiscord,
      rateLimits: {
        global: { limit: 10_000, seconds: 1 },
        // Tests would wait for the next window: as single syncs leave some to people, and as one bot serves all files.
        'GET /guilds/:guildId/members/:userId': { limit: 1_000, seconds: 1 },
        'POST /users/@me/channels': { limit: 1_000, seconds: 1 },
      },
      // A machine ten times slower is no fault in the service.
      answerWithinMs: 30_000,
    }),
    startRobloxSandbox({ ...observe, rateLimits: false }),
    startStripeSandbox(observe),
    openTestDatabase(),
    mkdtemp(join(tmpdir(), 'rolelink-data-')),
    freePort(),
  ]);
  stripe.events.sendTo(`http://localhost:${port}/api/billing/webhook`);
  const environment = {
    ...environmentFor({ discord, roblox, stripe, port, dataDir, mongodbUri: monitored(database.uri) }),
    ...linkSources.environment,
    // Everything is logged, since each line is searched for secrets (see `log-canaries`).
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'trace',
  };
  const service = await startService(loadConfig(environment), {
    checkAnswers: true,
    background: false,
  });
  await service.ready;
  process.once('exit', () => rmSync(dataDir, { recursive: true, force: true }));
  return {
    discord,
    roblox,
    stripe,
    linkSources,
    service,
    url: `http://localhost:${port}`,
    environment,
    database,
    contractViolations: checker?.violations,
  };
}

/** Makes the driver report each command that it sends, for test/cost. */
const monitored = (uri: string): string => `${uri}${uri.includes('?') ? '&' : '?'}monitorCommands=true`;

/** The environment for a service that talks to these sandboxes. */
export function environmentFor(wish: {
  discord: DiscordSandbox;
  roblox: RobloxSandbox;
  stripe?: StripeSandbox;
  port: number;
  dataDir: string;
  mongodbUri?: string;
}): Record<string, string> {
  const { discord, roblox, stripe, port, dataDir, mongodbUri = '' } = wish;
  return {
    ...sandboxEnvironment(discord, roblox, stripe),
    PORT: String(port),
    DATA_DIR: dataDir,
    MONGODB_URI: mongodbUri,
    LOG_LEVEL: process.env.TEST_LOG_LEVEL ?? 'silent',
    PLATFORM_ADMINS: platformAdminId,
    DEFAULT_PLAN: 'enterprise',
    WEBHOOK_DELIVERY: 'live',
    WEBHOOK_ALLOW_HTTP: 'true',
    WEBHOOK_ALLOW_PRIVATE: 'true',
  };
}

export { freePort };
