import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rename, rm, symlink } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { mongo } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { logger } from '../../lib/logger.js';
import { DatabaseStartError, diskFault } from '../../lib/start-error.js';
import { minuteMs } from '../../lib/time.js';

const engineReport = z.strictObject({
  /** `open` carries the socket's path; the others carry the reason. */
  state: z.enum(['open', 'unavailable', 'refused']),
  says: z.string(),
});
/** The engine process's one report about itself. */
export type EngineReport = z.output<typeof engineReport>;

/** The reason the engine did not open; `ended`: its process ended, as it does with damaged files. */
export class EngineNotOpened extends Error {
  constructor(
    readonly state: Exclude<EngineReport['state'], 'open'> | 'ended',
    says: string,
  ) {
    super(says);
  }
}

async function makeSocketFolder(): Promise<string> {
  try {
    return await mkdtemp(join(tmpdir(), socketFolderPrefix));
  } catch (error) {
    throw new DatabaseStartError(diskFault(tmpdir(), error, 'TMPDIR') ?? String(error), { cause: error });
  }
}

const script = fileURLToPath(new URL('./engine-child.js', import.meta.url));
export const socketFolderPrefix = 'rolelink-';
/** An ending engine's connections are cut before its process is gone. */
const endSeenWithinMs = 2_000;
/** A just killed process's engine ends a moment later. */
const othersEndWithinMs = 5_000;

/**
 * The embedded engine in its own process, reached through a socket with a fixed path. It is restarted when it ends. If
 * that fails, or it ends again within a minute, the error is thrown uncaught.
 */
export class EngineProcess {
  #child: ChildProcess | undefined;
  #isClosing = false;
  #reopenedAt = Number.NEGATIVE_INFINITY;
  #endedWith: string | undefined;

  private constructor(
    private readonly data: string,
    private readonly binary: string | undefined,
    private readonly folder: string,
    private readonly explainEnd: (error: unknown) => Promise<Error>,
  ) {}

  /**
   * Opens the database in the folder `data`, with the package's own binary or the one at `binary`. `explainEnd`
   * describes the reason for a later final end. Throws EngineNotOpened.
   */
  static async open(
    data: string,
    binary: string | undefined,
    explainEnd: (error: unknown) => Promise<Error>,
  ): Promise<EngineProcess> {
    const engine = new EngineProcess(data, binary, await makeSocketFolder(), explainEnd);
    try {
      const until = clock.monotonicMs() + othersEndWithinMs;
      await engine.#open(() => clock.monotonicMs() < until);
      return engine;
    } catch (error) {
      await rm(engine.folder, { recursive: true, force: true });
      throw error;
    }
  }

  get uri(): string {
    return addressOf(join(this.folder, 'mongodb.sock'));
  }

  /**
   * The reason the engine ended after it was opened, even if it is open again; null if it never ended. Takes at most 2
   * s.
   */
  async whyEnded(): Promise<Error | null> {
    const until = clock.monotonicMs() + endSeenWithinMs;
    while (this.#endedWith === undefined && clock.monotonicMs() < until) await delay(50);
    if (this.#endedWith === undefined) return null;
    return this.explainEnd(new EngineNotOpened('ended', this.#endedWith));
  }

  /** Cuts the connections, and ends the process once running commands are finished. */
  async close(): Promise<void> {
    this.#isClosing = true;
    const child = this.#child;
    if (child?.connected) {
      const ended = once(child, 'exit');
      child.send('close');
      await ended;
    }
    await rm(this.folder, { recursive: true, force: true });
  }

  async #open(mayWait: () => boolean): Promise<void> {
    const child = fork(script, [this.data, this.folder], {
      // Without our environment: no secrets and no Node options.
      env: { TMPDIR: this.folder, ...(this.binary !== undefined && { NAPI_RS_NATIVE_LIBRARY_PATH: this.binary }) },
      execArgv: [],
      stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    });
    const { state, says } = await unlessEnded(child, reportOf(child));
    if (state === 'open') return this.#serve(child, says);
    child.kill('SIGKILL');
    if (!says.includes('DBPathInUse') || !mayWait()) throw new EngineNotOpened(state, says);
    await delay(100);
    return this.#open(mayWait);
  }

  async #serve(child: ChildProcess, socketPath: string): Promise<void> {
    this.#child = child;
    await unlessEnded(child, tryPlansOut(socketPath));
    const link = join(this.folder, 'mongodb.sock');
    await unlessEnded(child, symlink(socketPath, `${link}.next`));
    await unlessEnded(child, rename(`${link}.next`, link));
    child.once('exit', (code, signal) => {
      if (this.#isClosing) return;
      this.#endedWith = String(signal ?? code);
      void this.#reopen(this.#endedWith);
    });
  }

  async #reopen(endedWith: string): Promise<void> {
    const endsAgain = clock.monotonicMs() - this.#reopenedAt < minuteMs;
    try {
      if (endsAgain) throw new EngineNotOpened('ended', endedWith);
      logger.error({ endedWith }, 'embedded database ended, restarting it');
      await this.#open(() => false);
    } catch (error) {
      if (this.#isClosing) return;
      await rm(this.folder, { recursive: true, force: true });
      throw await this.explainEnd(error);
    }
    this.#reopenedAt = clock.monotonicMs();
  }
}

const addressOf = (socketPath: string): string => `mongodb://${encodeURIComponent(socketPath)}/?directConnection=true`;

/**
 * Makes the engine choose query plans by trial. Its default then estimates costs by sampling, which this build can't
 * do: queries with an inconclusive trial failed.
 */
async function tryPlansOut(socketPath: string): Promise<void> {
  const client = new mongo.MongoClient(addressOf(socketPath));
  try {
    await client.db('admin').command({ setParameter: 1, internalQueryPlanRanker: 'multiPlanning' });
  } finally {
    await client.close();
  }
}

async function reportOf(child: ChildProcess): Promise<EngineReport> {
  const [message] = await once(child, 'message');
  return engineReport.parse(message);
}

/** A step of an opening. Throws EngineNotOpened `ended` if the engine ends before: its opening has failed then. */
async function unlessEnded<T>(child: ChildProcess, step: Promise<T>): Promise<T> {
  const over = new AbortController();
  const ended = once(child, 'exit', { signal: over.signal }).then(([code, signal]) => {
    throw new EngineNotOpened('ended', String(signal ?? code));
  });
  try {
    return await Promise.race([step, ended]);
  } finally {
    over.abort();
    await Promise.allSettled([ended]);
  }
}
