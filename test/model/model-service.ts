import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import mongoose from 'mongoose';
import { hashSecret, newSecret } from '../../src/lib/ids.js';
import { dayMs, hourMs } from '../../src/lib/time.js';
import { RemoteProcess } from '../bench/remote-process.js';
import { eventually } from '../support/build.js';
import { removeFolder } from '../support/remove-folder.js';
import { environmentFor, freePort } from '../support/world.js';
import { type DatabaseProxy, type DatabaseTap, openDatabaseProxy } from './database-proxy.js';
import type { modelVerbs } from './model-probe.js';
import type { Platforms } from './oracle.js';

const entry = new URL('../../src/main.js', import.meta.url);
const probe = new URL('./model-probe.js', import.meta.url);
/** Longer than the service takes for anything, on a slow machine too. */
const answersWithinMs = 300_000;

type AnsweredText =
  | 'mappingId'
  | 'phrase'
  | 'token'
  | 'tokenId'
  | 'jobId'
  | 'url'
  | 'reviewKey'
  | 'importId'
  | 'previewId';
type Environment = Record<string, string>;

export interface Answer {
  status: number;
  /** The parts in its answers that a script reads. */
  body: Partial<
    Record<AnsweredText, string> & {
      account: { gameUserId: string } | null;
      results: { result: string }[];
      data: { status?: string }[];
    }
  >;
}

/** What a stage needs of a service, which may be several processes. */
export type ServiceDoor = Pick<ModelService, keyof ModelService>;

/**
 * The service in its own process, which can be killed, with a database that can be cut off and a clock that can be
 * moved.
 */
export class ModelService {
  #process: RemoteProcess<typeof modelVerbs> | undefined;
  #aheadSeconds = 0;
  #isCut = false;
  #jumps = 0;
  readonly #cookies = new Map<string, string>();

  private constructor(
    private readonly environment: Record<string, string>,
    private readonly proxy: DatabaseProxy,
    private readonly client: mongoose.mongo.MongoClient,
    private readonly logFile: number | undefined,
  ) {}

  /**
   * A service that is not started yet, with the database `dbName` on the engine at `engineUri`. `tap` sees its traffic
   * to the database, and `adapt` changes its environment before the start. Its warnings and errors go into the file
   * `logFile`, a descriptor, if given.
   */
  static async prepare(
    platforms: Platforms,
    engineUri: string,
    dbName: string,
    {
      tap,
      adapt = (usual) => usual,
      logFile,
    }: { tap?: DatabaseTap; adapt?: (usual: Environment) => Environment; logFile?: number | undefined } = {},
  ): Promise<ModelService> {
    const proxy = await openDatabaseProxy(engineUri, dbName, tap);
    const client = await mongoose.mongo.MongoClient.connect(engineUri.replace('/?', `/${dbName}?`));
    const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-model-'));
    const environment = { ...environmentFor({ ...platforms, port: await freePort(), dataDir, mongodbUri: proxy.uri }) };
    // The others reconcile every hour, and so again while the harness waits for the last time.
    environment.DEFAULT_PLAN = 'pro';
    environment.LOG_LEVEL = process.env.MODEL_LOG ?? (logFile === undefined ? 'silent' : 'warn');
    return new ModelService(adapt(environment), proxy, client, logFile);
  }

  get db(): mongoose.mongo.Db {
    return this.client.db();
  }

  get isRunning(): boolean {
    return this.#process !== undefined;
  }

  /** The time by its clock, and how often that was set. */
  get now(): { epochMs: number; jumps: number } {
    return { epochMs: Date.now() + this.#aheadSeconds * 1_000, jumps: this.#jumps };
  }

  /** Whether its database is away. */
  get isCut(): boolean {
    return this.#isCut;
  }

  /** Whether a request can reach it and be stored. */
  get answers(): boolean {
    return this.isRunning && !this.#isCut;
  }

  /** Starts it. A killed process's leases have expired now, as after a minute; not so when others hold some. */
  async start({ isAlone = true }: { isAlone?: boolean } = {}): Promise<void> {
    if (isAlone) await this.db.collection('leases').updateMany({}, { $set: { until: new Date(0), owner: '' } });
    const environment = { ...this.environment, MODEL_AHEAD_SECONDS: String(this.#aheadSeconds) };
    const output = this.logFile === undefined ? {} : { output: this.logFile };
    // Source maps would make each start longer by a quarter.
    const execArgv = ['--no-enable-source-maps', '--import', probe.href];
    this.#process = new RemoteProcess<typeof modelVerbs>(entry, { environment, execArgv, ...output });
    await this.connected();
  }

  /** Resolves when database, gateway and jobs are well. */
  async connected(): Promise<void> {
    await eventually(
      async () => {
        const answer = await fetch(`${this.url}/readyz`).catch(() => null);
        await answer?.body?.cancel();
        return answer?.status === 200;
      },
      'the service',
      answersWithinMs,
    );
  }

  async kill(): Promise<void> {
    const running = this.#process;
    this.#process = undefined;
    await running?.kill();
  }

  /** SIGTERM. Gives the exit code, null when it was killed by its supervisor's patience instead. */
  async terminate(): Promise<number | null> {
    const running = this.#process;
    this.#process = undefined;
    return running === undefined ? null : running.end('SIGTERM');
  }

  cutDatabase(): void {
    this.#isCut = true;
    this.proxy.cut();
  }

  mendDatabase(): void {
    this.#isCut = false;
    this.proxy.mend();
  }

  /** Time passes, for the leases in the database too. */
  async pass(seconds: number): Promise<void> {
    this.#aheadSeconds += seconds;
    await this.#process?.ask('pass', { seconds });
    const until = { $subtract: ['$until', seconds * 1_000] };
    await this.db.collection('leases').updateMany({}, [{ $set: { until } }]);
  }

  async setClock(seconds: number): Promise<void> {
    this.#jumps += 1;
    await this.#process?.ask('setClock', { seconds });
  }

  /** Runs every standing job, as happens within minutes, or only those that run more often than daily. */
  async runStanding({ daily = true }: { daily?: boolean } = {}): Promise<void> {
    const wanted = (await this.standing()).filter(({ everyMs }) => daily || everyMs < dayMs);
    await this.runJobs(wanted.map(({ name }) => name));
  }

  /** Its standing jobs, with their intervals. */
  async standing(): Promise<{ name: string; everyMs: number }[]> {
    return (await this.#process?.ask('standing', null)) ?? [];
  }

  async runJobs(names: string[]): Promise<void> {
    await this.#process?.ask('runJobs', names);
  }

  /** How the process fares; see the verb. Throws while it is not running. */
  measure() {
    if (this.#process === undefined) throw new Error('The service is not running.');
    return this.#process.ask('measure', undefined);
  }

  /** Adds a group to RANKING_GROUPS, from now on and at each start. */
  async allowRanking(groupId: string): Promise<void> {
    const { RANKING_GROUPS: before = '' } = this.environment;
    this.environment.RANKING_GROUPS = `${before} ${groupId}`.trim();
    await this.#process?.ask('allowRanking', groupId);
  }

  async watchRanks(): Promise<void> {
    await this.#process?.ask('watchRanks', undefined);
  }

  /** A signed-in person's request. Status 0: not asked, or no answer. */
  async ask(
    person: { id: string; username: string },
    method: string,
    path: string,
    body?: unknown,
    requestId?: string,
  ): Promise<Answer> {
    if (!this.answers) return { status: 0, body: {} };
    try {
      const answer = await fetch(`${this.url}${path}`, {
        method,
        headers: {
          cookie: `rolelink_session=${await this.#sessionOf(person)}`,
          origin: this.url,
          ...(body !== undefined && { 'content-type': 'application/json' }),
          ...(requestId !== undefined && { 'x-request-id': requestId }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(answersWithinMs),
      });
      const text = await answer.text();
      return { status: answer.status, body: text === '' ? {} : JSON.parse(text) };
    } catch {
      return { status: 0, body: {} };
    }
  }

  /** A session that began as sign-in would have begun it. */
  async #sessionOf({ id, username }: { id: string; username: string }): Promise<string> {
    const known = this.#cookies.get(id);
    if (known !== undefined) return known;
    const secret = newSecret();
    const end = new Date('2200-01-01');
    const dates = { startedAt: new Date(), expiresAt: end };
    const session = { chatUserId: id, username, avatarUrl: null, managedGuildIds: [], ...dates };
    await this.db.collection<{ _id: string }>('sessions').insertOne({ _id: hashSecret(secret), ...session });
    this.#cookies.set(id, secret);
    return secret;
  }

  /** They are signed out: the next request signs in again. */
  forgetSession(id: string): void {
    this.#cookies.delete(id);
  }

  /**
   * Whether no sync and no resync is running, in these guilds or in any, and no change of a rank: later work plans from
   * present facts. `surely` counts an expired lease as held too, since the clock may have passed its end in between.
   */
  async isIdle(guildIds?: readonly string[], { surely = false }: { surely?: boolean } = {}): Promise<boolean> {
    if (!this.isRunning) return true;
    const each = guildIds === undefined ? ['sync:'] : guildIds.map((guildId) => `sync:${guildId}:`);
    // By the index: each in its own range.
    const ofThese = { $or: [...each, 'rank:'].map((start) => ({ _id: { $gte: start, $lt: `${start}~` } })) };
    const held = { ...ofThese, owner: { $ne: '' }, ...(!surely && { until: { $gt: new Date() } }) };
    const open = { ...(guildIds !== undefined && { guildId: { $in: guildIds } }), open: true };
    const [syncs, resyncs] = await Promise.all([
      this.db.collection<{ _id: string }>('leases').countDocuments(held, { limit: 1 }),
      this.db.collection('plans').countDocuments(open, { limit: 1 }),
    ]);
    return syncs + resyncs === 0;
  }

  /** The unfinished work in the bot's guilds, in words; empty if all is done. */
  async owed(): Promise<string[]> {
    const active = { present: true, state: { $ne: 'suspended' } };
    const guilds = await this.db.collection<{ _id: string }>('guilds').find(active).toArray();
    const guildId = { $in: guilds.map(({ _id }) => _id) };
    const count = (name: string, filter: object) => this.db.collection(name).countDocuments(filter);
    const counts = {
      'owed syncs': count('members', { guildId, owedSync: { $exists: true } }),
      'owed readings': count('members', { guildId, traitsDueAt: { $exists: true } }),
      'open resyncs': count('plans', { guildId, open: true }),
      'open imports': count('people_imports', { guildId, open: true }),
      'owed catch-ups': guilds.filter((guild) => 'catchUpSince' in guild).length,
      'open changes of ranks': count('rank_changes', { guildId, dueAt: { $exists: true } }),
      'open erasures': count('erasures', {}),
      // Roblox has said once that they are gone, and says it again or not five minutes later.
      'doubted accounts': count('accounts', { missingSince: { $exists: true } }),
      'unsettled accounts': count('accounts', { unsettled: { $exists: true } }),
      // Read once a day, a hundred at a time. By when, is only roughly known: scripts set the service's clock.
      'unread names': count('accounts', {
        gameUserId: { $type: 'string' },
        namesReadAt: { $not: { $gt: this.#yesterday() } },
      }),
    };
    const counted = Object.entries(counts).map(async ([what, number]) => [what, await number] as const);
    return (await Promise.all(counted)).flatMap(([what, number]) => (number > 0 ? [`${number} ${what}`] : []));
  }

  /** Some hours less than a day ago, by the service's clock. */
  #yesterday(): Date {
    return new Date(Date.now() + this.#aheadSeconds * 1_000 - 22 * hourMs);
  }

  /** Removes all stored data, except for the process's own. */
  async wipe(): Promise<void> {
    const collections = await this.db.collections();
    const ours = collections.filter(({ collectionName }) => collectionName !== 'agendaJobs');
    await Promise.all(ours.map((collection) => collection.deleteMany({})));
    this.#cookies.clear();
    delete this.environment.RANKING_GROUPS;
    await this.#process?.ask('forbidRanking', undefined);
  }

  async close(): Promise<void> {
    await this.kill();
    await this.db.dropDatabase();
    await this.client.close();
    this.proxy.close();
    await removeFolder(this.environment.DATA_DIR ?? '');
  }

  get url(): string {
    return `http://localhost:${this.environment.PORT}`;
  }
}
