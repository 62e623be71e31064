import pino from 'pino';
import { logger } from '../../src/lib/logger.js';

/** One line in the service's log in this process. */
export interface LoggedLine {
  level: number;
  msg: string;
  err?: { type: string; message: string; url?: string };
  [field: string]: unknown;
}

interface Sink {
  write(line: string): void;
}

const { streamSym } = pino.symbols;
const output: Sink = Reflect.get(logger, streamSym);
const sinks = new Set<(line: string) => void>();

/** Sends this process's log to listeners, and to standard output only if TEST_LOG_LEVEL is set. */
export function captureLog(): void {
  const shown = process.env.TEST_LOG_LEVEL !== undefined;
  const sink: Sink = {
    write(line) {
      if (shown) output.write(line);
      for (const listen of sinks) listen(line);
    },
  };
  Object.assign(logger, { [streamSym]: sink });
}

/** Has `listen` hear every line, as it would be written, until the function given back is called. */
export function onLogLine(listen: (line: string) => void): () => void {
  sinks.add(listen);
  return () => sinks.delete(listen);
}

/** The lines logged while `work` runs. */
export async function linesOf(work: () => Promise<unknown>): Promise<LoggedLine[]> {
  const lines: LoggedLine[] = [];
  const stop = onLogLine((line) => lines.push(JSON.parse(line)));
  await Promise.resolve(work()).finally(stop);
  return lines;
}
