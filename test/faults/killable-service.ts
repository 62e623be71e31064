import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { endProcesses, type ServiceProcess, signInAt, startProcess } from '../boot/service-process.js';
import { type DiscordSandbox, startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { type RobloxSandbox, startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort, world } from '../support/world.js';
import { buildCrowd, type Crowd } from './resync-crowd.js';

/** A service in its own process, which can be killed and started again: with its own platforms and database. */
export class KillableService {
  #parts:
    | { discord: DiscordSandbox; roblox: RobloxSandbox; dataDir: string; environment: Record<string, string> }
    | undefined;
  #running: ServiceProcess | undefined;

  /**
   * Prepares it for a file's tests, and ends it after them.
   * @param options Node's options. Source maps would make each start longer by a quarter.
   * @param more of its environment.
   */
  constructor(
    private readonly dbName: string,
    private readonly options: readonly string[] = [],
    private readonly more: () => Promise<Record<string, string>> = async () => ({}),
  ) {
    before(() => this.#prepare());
    after(() => this.#end());
  }

  get discord(): DiscordSandbox {
    return this.#prepared.discord;
  }

  get roblox(): RobloxSandbox {
    return this.#prepared.roblox;
  }

  get running(): ServiceProcess {
    if (this.#running === undefined) throw new Error('The service has not been started.');
    return this.#running;
  }

  /** A collection in its database that other tests know nothing about. */
  collection<T extends object = mongoose.mongo.BSON.Document>(name: string): mongoose.Collection<T> {
    return this.#database.collection<T>(name);
  }

  /** Starts it and waits until it is ready. A killed process's leases have expired now, as after a minute. */
  async start(): Promise<ServiceProcess> {
    await this.collection('leases').updateMany({}, { $set: { until: new Date(0), owner: '' } });
    this.#running = startProcess(this.#prepared.environment, this.options);
    await this.#running.logged('ready');
    return this.#running;
  }

  async kill(): Promise<void> {
    this.running.signal('SIGKILL');
    await this.running.ended;
  }

  /** A crowd in its own guild; resolves before a service that runs knows it. */
  buildCrowd(count: number): Promise<Crowd> {
    const { db } = this.#database;
    if (!db) throw new Error('The database is not connected.');
    return buildCrowd(count, { discord: this.discord, roblox: this.roblox, database: db });
  }

  /** Waits until it knows that the bot is in a guild. */
  async knowsGuild(): Promise<void> {
    await eventually(() => this.collection('guilds').findOne({ present: true }), 'the guild');
  }

  signIn(chatUserId: string): Promise<Record<string, string>> {
    return signInAt(this.running.url, this.discord, chatUserId);
  }

  get #database(): mongoose.Connection {
    return mongoose.connection.useDb(this.dbName, { useCache: true });
  }

  get #prepared() {
    if (this.#parts === undefined) throw new Error('The tests have not begun.');
    return this.#parts;
  }

  async #prepare(): Promise<void> {
    const { database: engine } = await world();
    const [discord, roblox, dataDir] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
      mkdtemp(join(tmpdir(), 'rolelink-kill-')),
    ]);
    // The modules that `options` loads see the commands.
    const mongodbUri = `${engine.uri.replace('/?', `/${this.dbName}?`)}&monitorCommands=true`;
    const environment = environmentFor({ discord, roblox, port: await freePort(), dataDir, mongodbUri });
    Object.assign(environment, { LOG_LEVEL: 'info' }, await this.more());
    this.#parts = { discord, roblox, dataDir, environment };
  }

  async #end(): Promise<void> {
    const { discord, roblox, dataDir } = this.#prepared;
    discord.clearFaults();
    await endProcesses();
    await this.#database.dropDatabase();
    await Promise.all([discord.stop(), roblox.stop(), removeFolder(dataDir)]);
  }
}
