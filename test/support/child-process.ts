import { type ChildProcess, fork } from 'node:child_process';
import { once } from 'node:events';
import { fileURLToPath } from 'node:url';
import { keepLine } from './log-canaries.js';

/** A test's other process: a compiled script that reports with `process.send`. */
export interface TestChild {
  pid: number;
  /** Everything that it has reported so far. */
  reports: string[];
  /** Everything that it has logged so far. */
  output(): string;
  /** Waits for a report that starts with `start`, past or to come, and gives its rest. */
  report(start: string): Promise<string>;
  send(message: string): void;
  /** Ends it as a power cut would, and waits until it is gone. */
  kill(): Promise<void>;
  /** Waits until the process exits. */
  ended(): Promise<void>;
}

const running = new Set<ChildProcess>();
process.once('exit', () => {
  for (const child of running) child.kill('SIGKILL');
});

/** Starts `script`, a path from the compiled tests' folder, and kills it should it outlive this process. */
export function startChild(script: string, ...args: string[]): TestChild {
  const child = fork(fileURLToPath(new URL(`../${script}`, import.meta.url)), args, { stdio: 'pipe' });
  const reports: string[] = [];
  let output = '';
  child.on('message', (message) => reports.push(String(message)));
  child.stdout?.on('data', (chunk) => (output += chunk));
  child.stderr?.on('data', (chunk) => (output += chunk));
  running.add(child);
  const exit = once(child, 'exit').finally(() => {
    running.delete(child);
    for (const line of output.split('\n')) keepLine(line);
  });
  return {
    pid: child.pid ?? 0,
    reports,
    output: () => output,
    report: (start) => findReport(child, reports, start, () => output),
    send: (message) => child.send(message),
    kill: async () => {
      child.kill('SIGKILL');
      await exit;
    },
    ended: () => exit.then(() => undefined),
  };
}

async function findReport(
  child: ChildProcess,
  reports: string[],
  start: string,
  output: () => string,
): Promise<string> {
  const ended = new AbortController();
  child.once('exit', () => ended.abort());
  for (;;) {
    const report = reports.find((candidate) => candidate.startsWith(start));
    if (report !== undefined) return report.slice(start.length).trim();
    if (child.exitCode !== null || child.signalCode !== null || ended.signal.aborted) {
      throw new Error(`The child ended without reporting ${start}:\n${output()}`);
    }
    await once(child, 'message', { signal: ended.signal }).catch(() => undefined);
  }
}
