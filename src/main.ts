// Longer than 300 lines: the order of start and stop reads best in one place.
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { disableValidators } from 'discord.js';
import { RolelinkClient } from './bot-client.js';
import {
  type Config,
  config,
  loadConfig,
  mistypedIn,
  overriddenLines,
  type ServiceConfig,
  useConfig,
} from './config/config.js';
import { processEnvironment } from './config/process-environment.js';
import { loadSecretKeys, placesOf } from './config/secret-keys.js';
import { onAuditEntry } from './core/audit/audit-service.js';
import { onWelcomePending } from './core/guilds/welcomes.js';
import { onBeginToEnforce } from './core/settings/settings-change.js';
import { onRulesWhole } from './core/settings/whole-changes.js';
import { errorInWords } from './edges/cli/error-in-words.js';
import { createHttpApp } from './edges/http/http-app.js';
import { closeServer, createHttpServer } from './edges/http/http-server.js';
import { createRateLimits, purgeRateLimits } from './edges/http/rate-limits.js';
import { messageJoiners } from './edges/interactions/join-message.js';
import { welcomeGuilds } from './edges/interactions/welcome.js';
import { checkSetup } from './edges/operations/doctor.js';
import { registerGauges } from './edges/operations/gauges.js';
import { outageWords } from './edges/operations/outage-words.js';
import { readyBlock, readyReport } from './edges/operations/ready-report.js';
import { onAccountChanged } from './features/accounts/account-changes.js';
import { onJoinMessagePending } from './features/accounts/join-messages.js';
import { applyStoredPlans } from './features/billing/billing-reconcile.js';
import { startGamePushes } from './features/game-pushes/game-pushes.js';
import { enqueueLinkedRole } from './features/linked-roles/linked-role-service.js';
import { postSoon } from './features/log-channel/log-channel.js';
import { onMappedRolesSettled, onRolesCompared } from './features/mappings/mapped-role-job.js';
import { requireRolesBelow } from './features/mappings/roles-below.js';
import { makeSyncsDueNow, onSyncPending } from './features/members/pending-syncs.js';
import { startRankWatch } from './features/rank-watch/rank-watch.js';
import { stopBackgroundSyncs, syncSoon } from './features/sync/member/background-syncs.js';
import { enqueueFreedSyncs, guildsWithFreed } from './features/sync/member/freed-syncs.js';
import { forgetGatewayWords } from './features/sync/member/waiting-joins.js';
import { resyncsGoOn } from './features/sync/resync/resync-job.js';
import { releaseInterrupted } from './features/webhooks/delivery-claim.js';
import { stopDeliveries } from './features/webhooks/delivery-job.js';
import { clock } from './lib/clock.js';
import { watchClock } from './lib/clock-jumps.js';
import { foreground } from './lib/foreground.js';
import { onServiceBack } from './lib/last-calls.js';
import { logger, writeReadably } from './lib/logger.js';
import { ConfigError, StartError } from './lib/start-error.js';
import { minuteMs } from './lib/time.js';
import { connectDatabase, type Database } from './platforms/database/connect.js';
import { addMigrations, type Migration, migrateData } from './platforms/database/data-version.js';
import { mendDueTimes } from './platforms/database/due-times.js';
import { endAllLeases } from './platforms/database/lease-store.js';
import { refusedForGood } from './platforms/discord/discord-refusal.js';
import { tokenRefused } from './platforms/discord/gateway-state.js';
import { awaitOlderProcesses, dataIsNewer } from './platforms/discord/newer-data.js';
import { ownApplication, prepareApplication } from './platforms/discord/own-application.js';
import { setBackRateLimits } from './platforms/discord/rest/rest-clock.js';
import { claimShards, onShardsGivenUp, releaseShards, shardsReady } from './platforms/discord/shard-rows.js';
import { renewSchedule, startJobs, stopJobs } from './platforms/jobs/agenda.js';
import { poke, type StandingJob } from './platforms/jobs/standing.js';
import { configureRoblox } from './platforms/roblox/roblox-config.js';
import { closeRoblox } from './platforms/roblox/roblox-host.js';
import { startTracing } from './platforms/tracing/open-telemetry.js';
import './standing-jobs.js';

/** A shutdown's maximum duration, in total and for its parts. */
const stopWithinMs = 10_000;
const finishRequestsWithinMs = 4_000;
const finishJobsWithinMs = 4_000;

export interface Service {
  /** The API's address, `http://host:port`. */
  url: string;
  /** Resolves when the gateway is connected too, or when the service is stopped earlier. */
  ready: Promise<void>;
  /**
   * Resolves when the service can't go on, with a sentence that gives the remedy: Discord refuses the bot permanently,
   * or a newer process upgrades the data.
   */
  refused: Promise<string>;
  /** Refuses new requests and jobs, finishes running ones, closes sockets; at most 10 s. */
  stop(): Promise<void>;
}

interface StartOptions {
  /** Compares each answer with its route's schema. */
  checkAnswers?: boolean;
  /**
   * false: no scheduled work starts, and a pending sync waits until something runs it. Events and deliveries still go
   * out immediately.
   */
  background?: boolean;
  /** false: the bot sends no welcome to servers it joins. */
  welcomes?: boolean;
  /** Those of a later Rolelink. */
  migrations?: readonly Migration[];
}

/** Starts all parts in dependency order. Throws ConfigError or DatabaseStartError. */
export async function startService(wish: Config, options: StartOptions = {}): Promise<Service> {
  const { checkAnswers = false, background = true, migrations = [] } = options;
  const settings: ServiceConfig = { ...wish, ...loadSecretKeys(wish), checkAnswers };
  useConfig(settings);
  logger.level = settings.logLevel;
  writeReadably(settings.logReadably);
  configureRoblox(settings.roblox);
  addMigrations(migrations);
  registerGauges();
  onAuditEntry(postSoon);
  if (background) onSyncPending(syncSoon);
  onRulesWhole(makeSyncsDueNow);
  onBeginToEnforce(requireRolesBelow);
  onAccountChanged(enqueueLinkedRole);
  onMappedRolesSettled(enqueueFreedSyncs);
  onRolesCompared(guildsWithFreed);
  onJoinMessagePending(() => poke(messageJoiners));
  onShardsGivenUp(forgetGatewayWords);

  const client = new RolelinkClient(settings);
  const declaring = client.loadPieces();
  // A database that can't be opened is reported first.
  declaring.catch(() => undefined);
  const { mongodbUri: uri, dataDir } = settings;
  const database = await connectDatabase({ uri, dataDir, keys: { ...settings, places: placesOf(wish) }, declaring });
  return startOn(database, client, options).catch(async (error: unknown) => {
    await releaseShards();
    throw await database.faultOf(error);
  });
}

async function startOn(
  database: Database,
  client: RolelinkClient,
  { background = true, welcomes = background }: StartOptions,
): Promise<Service> {
  const settings = config();
  const stopTracing = await startTracing(settings.tracing);
  if (database.embedded) await endAllLeases().then(releaseInterrupted);
  else await awaitOlderProcesses().then(claimShards);
  await migrateData();
  await applyStoredPlans();
  if (welcomes) onWelcomePending(() => poke(welcomeGuilds));
  const isWanted = (job: StandingJob): boolean => welcomes || job !== welcomeGuilds;
  await startJobs(background ? isWanted : undefined);
  const stopRankWatch = background ? startRankWatch() : async () => {};
  const stopGamePushes = startGamePushes();
  const stopServiceBack = onServiceBack(resyncsGoOn);

  const app = createHttpApp(client.stores.get('routes').inMountingOrder(), await createRateLimits());
  const server = createHttpServer(app);
  await listen(server, settings);
  const stopping = new AbortController();
  const stopWatching = watchClock((ms) => {
    setBackRateLimits(client.rest, ms);
    return Promise.all([renewSchedule(), purgeRateLimits(clock.machineTime()), mendDueTimes()]);
  });
  const refused = Promise.race([refusedForGood(client), ...(database.embedded ? [] : [dataIsNewer()])]);
  const ready = connectGateway(client, settings.discord.token, refused, stopping.signal);

  return {
    url: addressOf(server),
    ready,
    refused,
    async stop() {
      stopping.abort();
      stopWatching();
      stopServiceBack();
      await Promise.all([
        closeServer(server, finishRequestsWithinMs),
        stopJobs(finishJobsWithinMs),
        stopBackgroundSyncs(finishJobsWithinMs),
        stopRankWatch(finishJobsWithinMs),
        stopDeliveries(finishJobsWithinMs),
        stopGamePushes(),
        foreground.yield(finishRequestsWithinMs),
      ]);
      await client.destroy();
      await Promise.all([closeRoblox(), releaseShards()]);
      await Promise.all([database.close(), stopTracing()]);
    },
  };
}

/** Connects to Discord and retries while it is unreachable; a permanent refusal ends the process with a message. */
async function connectGateway(
  client: RolelinkClient,
  token: string,
  refused: Promise<string>,
  stopping: AbortSignal,
): Promise<void> {
  const connected = new Promise<void>((resolve, reject) => {
    client.once('clientReady', () => resolve());
    void refused.then((says) => reject(new ConfigError(says)));
  });
  // A refusal between two attempts is thrown by the next attempt.
  connected.catch(() => undefined);
  for (let waitMs = 1_000; !stopping.aborted; waitMs = Math.min(waitMs * 2, minuteMs)) {
    try {
      await prepareApplication();
      // After a refusal, discord.js would wait for the connection forever.
      await Promise.race([client.login(token), connected]);
      await connected;
      return await shardsReady();
    } catch (error) {
      if (error instanceof ConfigError) throw error;
      if (error instanceof Error && 'code' in error && error.code === 'TokenInvalid') {
        throw new ConfigError(tokenRefused);
      }
      logger.error({ reason: outageWords(error), retryInMs: waitMs }, 'Discord is unreachable');
      await delay(waitMs, undefined, { signal: stopping }).catch(() => undefined);
    }
  }
}

async function listen(server: Server, { port, host }: ServiceConfig): Promise<void> {
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) => {
      reject(new ConfigError(`Can't listen on ${host}:${port} (HOST, PORT): ${cause.message}`, { cause }));
    });
    server.listen(port, host, resolve);
  });
}

function addressOf(server: Server): string {
  const { address, port, family } = server.address() as AddressInfo;
  return `http://${family === 'IPv6' ? `[${address}]` : address}:${port}`;
}

/** Reports the service's address and its enabled parts: one block on a terminal, otherwise a log line. */
async function sayReady(url: string): Promise<void> {
  const msSinceStart = Math.round(clock.monotonicMs());
  const report = readyReport(config(), await ownApplication(), url);
  const { logReadably, dataDir } = config();
  if (logReadably && logger.isLevelEnabled('info')) process.stdout.write(readyBlock(report, dataDir, msSinceStart));
  else logger.info({ ...report, msSinceStart }, 'ready');
}

/** Releases memory needed only for the boot. V8 waits until memory is requested, which an idle bot does not do. */
function releaseBootMemory(): void {
  setFlagsFromString('--expose-gc');
  const collectGarbage: unknown = runInNewContext('gc');
  if (typeof collectGarbage !== 'function') return;
  collectGarbage();
  // Node 24 keeps 100 MB for young objects except in a last-resort collection; Node 20 ignores the option.
  collectGarbage({ type: 'major', execution: 'sync', flavor: 'last-resort' });
}

/** `start --backup FOLDER`. The commands' code is loaded only then. */
async function backUpFirst(wish: Config, folder: string): Promise<void> {
  const { backUpBeforeUpgrade } = await import('./edges/cli/stored-data.js');
  const says = await backUpBeforeUpgrade(wish, folder);
  if (says !== undefined) logger.info(says);
}

/**
 * `npm start`: runs until SIGTERM, SIGINT or an uncaught exception. After an exception, the in-memory state can't be
 * trusted: the service stops in order, exits with 1, and the supervisor restarts it.
 */
async function main(): Promise<void> {
  let service: Service | undefined;
  let stopping = false;
  const end = (exitCode: number): void => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), stopWithinMs).unref();
    Promise.resolve(service?.stop()).then(
      () => process.exit(exitCode),
      (error: unknown) => {
        logger.error({ err: error }, 'stopping failed');
        process.exit(1);
      },
    );
  };
  process.on('uncaughtException', (err, origin) => {
    if (err instanceof StartError) logger.fatal(err.message);
    else logger.fatal({ err, origin }, 'uncaught error, stopping');
    end(1);
  });
  // They check each command in seven languages, which took 70 ms at a start. The tests keep them.
  disableValidators();
  const environment = processEnvironment();
  const { values } = parseArgs({ options: { backup: { type: 'string' } } });
  if (values.backup !== undefined) await backUpFirst(loadConfig(environment), values.backup);
  service = await startService(loadConfig(environment));
  for (const line of [...mistypedIn(environment), ...overriddenLines()]) logger.warn(line.trim());
  const stop = (signal: string): void => {
    logger.info({ signal }, 'stopping');
    end(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  await service.ready;
  if (stopping) return;
  void service.refused.then((says) => {
    logger.fatal(says);
    end(1);
  });
  await sayReady(service.url);
  void checkSetup();
  releaseBootMemory();
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  main().catch((error: unknown) => {
    process.stderr.write(`${errorInWords(error)}\n`);
    process.exit(1);
  });
}
