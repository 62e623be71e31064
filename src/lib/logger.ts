import { type Logger, type LoggerOptions, pino } from 'pino';
import { logError } from './log-error.js';
import { readableLine } from './readable-log.js';
import { RunningValue } from './running-value.js';

/** Ids of the request, job or interaction that is being served. Every log line written meanwhile carries them. */
export interface LogContext {
  requestId?: string;
  jobId?: string;
  interactionId?: string;
}

const context = new RunningValue<LogContext>();

/** Secrets are never logged (ENV-23): these paths are removed from everything that the logger is given. */
const secretPaths = ['token', 'secret', 'verifier', 'password', 'cookie', 'authorization'].flatMap((key) => [
  key,
  `*.${key}`,
  `*.*.${key}`,
]);

/** What is written within this time goes out together: by itself, a line costs a request a tenth of its time. */
const togetherMs = 20;
/** And at once where it is so much, in bytes. */
const standardOutput = pino.destination({ dest: 1, minLength: 4_096 });
let isReadable = false;
let isOwed = false;

/** The end of the process writes what is left. */
function writeOwed(): void {
  isOwed = false;
  standardOutput.flush();
}

const output = {
  write(line: string): void {
    standardOutput.write(isReadable ? readableLine(line) : line);
    if (!isOwed) setTimeout(writeOwed, togetherMs).unref();
    isOwed = true;
  },
};

/** Has the log written for people from now on, or as JSON. */
export function writeReadably(readable: boolean): void {
  isReadable = readable;
}

const options: LoggerOptions = {
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: logError },
  redact: { paths: secretPaths, censor: '[secret]' },
  mixin: () => context.get() ?? {},
};

/** The one logger: lines on standard output; level and form are set at boot from LOG_LEVEL and LOG_FORMAT. */
export const logger: Logger = pino(options, output);

const unredacted = logger.child({}, { redact: [] });

/** What the line of a request tells: none of it can be a secret, and to look for some costs more than the line. */
export interface RequestLine {
  method: string;
  /** As by `cutUrl`. */
  path: string;
  status: number;
  ms: number;
}

/** Writes the line of a request that was answered. */
export const logRequest = (line: RequestLine): void => unredacted.info(line, 'request');

/** Runs `work`; every log line written within it carries `ids`. */
export function withLogContext<T>(ids: LogContext, work: () => T): T {
  return context.run({ ...context.get(), ...ids }, work);
}

/** The ids of what is being served now; the audit entry takes its `requestId` from here. */
export function currentLogContext(): LogContext {
  return context.get() ?? {};
}
