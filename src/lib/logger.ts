import { type Logger, type LoggerOptions, pino } from 'pino';
import { AsyncContext } from './async-context.js';
import { logError } from './log-error.js';
import { readableLine } from './readable-log.js';
import { currentTrace } from './traced.js';

/** Ids of the current request, job or interaction. Every log line written during it carries them. */
export interface LogContext {
  requestId?: string;
  jobId?: string;
  interactionId?: string;
}

const context = new AsyncContext<LogContext>();

/** Secrets are never logged (ENV-23): these paths are removed from all logger input. */
const secretPaths = ['token', 'secret', 'verifier', 'password', 'cookie', 'authorization'].flatMap((key) => [
  key,
  `*.${key}`,
  `*.*.${key}`,
]);

/** Lines written within this time are sent together: individually, a line costs a tenth of a request's time. */
const togetherMs = 20;
/** The byte count at which they are sent immediately. */
const standardOutput = pino.destination({ dest: 1, minLength: 4_096 });
let isReadable = false;
let isPending = false;

function writePending(): void {
  isPending = false;
  standardOutput.flush();
}

const output = {
  write(line: string): void {
    standardOutput.write(isReadable ? readableLine(line) : line);
    if (!isPending) setTimeout(writePending, togetherMs).unref();
    isPending = true;
  },
};

export function writeReadably(readable: boolean): void {
  isReadable = readable;
}

const options: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: logError },
  redact: { paths: secretPaths, censor: '[secret]' },
  mixin: () => ({ ...context.get(), ...currentTrace() }),
};

/** The only logger: lines on standard output. Level and format are set at boot from LOG_LEVEL and LOG_FORMAT. */
export const logger: Logger = pino(options, output);

const unredacted = logger.child({}, { redact: [] });

/** Fields in a request's log line. None can be a secret, and a search for secrets would cost more than the line. */
export interface RequestLine {
  method: string;
  /** As cut by `cutUrl`. */
  path: string;
  status: number;
  ms: number;
}

export const logRequest = (line: RequestLine): void => unredacted.info(line, 'request');

/** Runs `work`; every log line written within it carries `ids`. */
export function withLogContext<T>(ids: LogContext, work: () => T): T {
  return context.run({ ...context.get(), ...ids }, work);
}

/** The current ids; the audit entry takes its `requestId` from here. */
export function currentLogContext(): LogContext {
  return context.get() ?? {};
}
