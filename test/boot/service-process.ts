import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { fileURLToPath } from 'node:url';
import type { DiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { cookiesOf } from '../support/api.js';
import { eventually } from '../support/build.js';
import { keepLine, noteEnvironment } from '../support/log-canaries.js';

export const entry = fileURLToPath(new URL('../../src/main.js', import.meta.url));
const sourceMaps = fileURLToPath(new URL('../../../src/edges/cli/source-maps.cjs', import.meta.url));

interface LogLine {
  level: number;
  msg: string;
  err?: { type: string; message: string; stack?: string };
  url?: string;
  /** For the process. */
  msSinceStart?: number;
}

/** The service as `npm start` runs it: its own process. */
export interface ServiceProcess {
  pid: number;
  url: string;
  output(): string;
  errors(): string;
  messages(): string[];
  lines(): LogLine[];
  /** Waits for a line. Throws if the service ends before, or after 3 minutes. */
  logged(msg: string): Promise<LogLine>;
  /** Its exit code, once it has ended; null when a signal ended it. */
  ended: Promise<number | null>;
  signal(name: NodeJS.Signals): void;
  /** Resident memory in MB, with its database; memory shared by several processes is divided among them. */
  memory(): number;
}

function memoryOf(pid: string): number {
  if (pid === '') return 0;
  const [, kilobytes = '0'] = /^Pss:\s+(\d+) kB$/m.exec(readFileSync(`/proc/${pid}/smaps_rollup`, 'utf8')) ?? [];
  return Number(kilobytes) / 1024;
}

const running = new Set<ChildProcess>();

/** Ends the processes that a test has left. */
export async function endProcesses(): Promise<void> {
  await Promise.all(
    [...running].map((child) => {
      child.kill('SIGKILL');
      return once(child, 'exit');
    }),
  );
}

/**
 * Starts the service, or another script with arguments, with this environment and no other, in a folder that is not the
 * project's. Node's `options` are `npm start`'s, unless others are given.
 */
export function startProcess(
  environment: Record<string, string>,
  options: readonly string[] = ['--require', sourceMaps],
  script: readonly string[] = [entry],
): ServiceProcess {
  const child = spawn(process.execPath, [...options, ...script], {
    env: environment,
    cwd: tmpdir(),
    stdio: 'pipe',
  });
  running.add(child);
  noteEnvironment(environment);
  let [output, errors] = ['', ''];
  child.stdout.on('data', (chunk) => (output += chunk));
  child.stderr.on('data', (chunk) => (errors += chunk));
  const ended = once(child, 'close').then(([code]) => {
    running.delete(child);
    for (const line of [...output.split('\n'), errors]) keepLine(line);
    return code as number | null;
  });
  const lines = (): LogLine[] =>
    output
      .split('\n')
      .slice(0, -1)
      .map((line): LogLine => JSON.parse(line));
  return {
    pid: child.pid ?? 0,
    url: `http://localhost:${environment.PORT}`,
    output: () => output,
    errors: () => errors,
    lines,
    messages: () => lines().map(({ msg }) => msg),
    logged: (msg) => {
      const find = (): LogLine | undefined => {
        const endedBy = child.exitCode ?? child.signalCode;
        if (endedBy !== null) throw new Error(`The service has ended (${endedBy}):\n${errors}\n${output}`);
        return lines().find((line) => line.msg === msg);
      };
      return eventually(find, `"${msg}" in the log`).catch((cause: unknown) => {
        throw new Error(`${String(cause)}; its end:\n${errors}\n${output.slice(-3_000)}`, { cause });
      });
    },
    ended,
    signal: (name) => child.kill(name),
    memory: () => {
      const children = readFileSync(`/proc/${child.pid}/task/${child.pid}/children`, 'utf8').trim().split(' ');
      return [child.pid, ...children].reduce<number>((sum, pid) => sum + memoryOf(String(pid)), 0);
    },
  };
}

/** Signs a person in at this service: the headers that their browser then sends. */
export async function signInAt(
  url: string,
  discord: DiscordSandbox,
  chatUserId: string,
): Promise<Record<string, string>> {
  const begun = await fetch(`${url}/api/auth/login`, { redirect: 'manual' });
  const back = discord.authorize(begun.headers.get('location') ?? '', chatUserId);
  const ended = await fetch(back, { redirect: 'manual', headers: { cookie: cookiesOf(begun) } });
  return { cookie: cookiesOf(ended), origin: url, 'content-type': 'application/json' };
}
