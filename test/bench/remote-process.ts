import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';

/** A child process's verbs; arguments and results travel as JSON. */
export type Verbs = Readonly<Record<string, (argument: never) => unknown>>;

interface Call {
  id: number;
  verb: string;
  argument: unknown;
}

interface Answer {
  id: number;
  result?: unknown;
  error?: string;
}

export function serveParent(verbs: Verbs): void {
  process.on('message', ({ id, verb, argument }: Call) => {
    void answer(verbs, verb, argument).then((told) => process.send?.({ id, ...told }));
  });
}

async function answer(verbs: Verbs, verb: string, argument: unknown): Promise<Omit<Answer, 'id'>> {
  try {
    // The parent's types have checked the argument.
    return { result: await verbs[verb]?.(argument as never) };
  } catch (error) {
    return { error: error instanceof Error ? (error.stack ?? error.message) : String(error) };
  }
}

export interface ProcessOptions {
  args?: string[];
  environment?: Record<string, string>;
  /** Node's own options. */
  execArgv?: string[];
  /**
   * The child's standard output: shown among errors by default, so that it does not mix with ours; or ignored, or
   * written to a file by its descriptor.
   */
  output?: 'ignore' | number;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** In the parent: a child process that runs `script`, a file URL, and answers calls. */
export class RemoteProcess<V extends Verbs> {
  readonly #child: ChildProcess;
  readonly #open = new Map<number, (answer: Answer) => void>();
  #calls = 0;

  constructor(script: URL, { args = [], environment = {}, execArgv = [], output }: ProcessOptions = {}) {
    this.#child = fork(fileURLToPath(script), args, {
      env: environment,
      execArgv: ['--enable-source-maps', ...execArgv],
      stdio: ['ignore', output ?? 2, 2, 'ipc'],
    });
    running.add(this.#child);
    this.#child.on('message', (told: Answer) => this.#open.get(told.id)?.(told));
    this.#child.once('exit', (code) => {
      running.delete(this.#child);
      for (const [id, resolve] of this.#open) resolve({ id, error: `The process has ended (${code}).` });
    });
  }

  /** Throws the child's error. */
  async ask<K extends keyof V & string>(verb: K, argument: Parameters<V[K]>[0]): Promise<Awaited<ReturnType<V[K]>>> {
    const id = ++this.#calls;
    const told = await new Promise<Answer>((resolve) => {
      this.#open.set(id, resolve);
      this.#child.send({ id, verb, argument } satisfies Call, (error) => {
        if (error) resolve({ id, error: error.message });
      });
    });
    this.#open.delete(id);
    if (told.error !== undefined) throw new Error(told.error);
    // The verb's result, as JSON.
    return told.result as Awaited<ReturnType<V[K]>>;
  }

  get pid(): number {
    return this.#child.pid ?? 0;
  }

  async kill(): Promise<void> {
    await this.end('SIGKILL');
  }

  /** Sends it this signal and waits until it has ended. Gives its exit code, null when a signal has ended it. */
  async end(signal: NodeJS.Signals): Promise<number | null> {
    const child = this.#child;
    if (child.exitCode === null && child.signalCode === null) {
      child.kill(signal);
      await once(child, 'exit');
    }
    return child.exitCode;
  }
}
