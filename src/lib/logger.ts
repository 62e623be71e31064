import { AsyncLocalStorage } from 'node:async_hooks';
import { type Logger, pino } from 'pino';
import { logError } from './log-error.js';

/** Ids of the request, job or interaction that is being served. Every log line written meanwhile carries them. */
export interface LogContext {
  requestId?: string;
  jobId?: string;
  interactionId?: string;
}

const context = new AsyncLocalStorage<LogContext>();

/** Secrets are never logged (SPEC §11.1): these paths are removed from everything that the logger is given. */
const secretPaths = ['token', 'secret', 'verifier', 'password', 'cookie', 'authorization'].flatMap((key) => [
  key,
  `*.${key}`,
  `*.*.${key}`,
]);

/** The one logger: JSON lines on standard output; its level is set at boot from LOG_LEVEL. */
export const logger: Logger = pino({
  base: null,
  timestamp: pino.stdTimeFunctions.isoTime,
  serializers: { err: logError },
  redact: { paths: secretPaths, censor: '[secret]' },
  mixin: () => context.getStore() ?? {},
});

/** Runs `work`; every log line written within it carries `ids`. */
export function withLogContext<T>(ids: LogContext, work: () => T): T {
  return context.run({ ...context.getStore(), ...ids }, work);
}

/** The ids of what is being served now; the audit entry takes its `requestId` from here. */
export function currentLogContext(): LogContext {
  return context.getStore() ?? {};
}
