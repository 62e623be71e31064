import { cutUrl } from './cut-url.js';

interface LoggedError {
  type: string;
  message: string;
  stack?: string;
  code?: string | number;
  status?: number;
  method?: string;
  url?: string;
  cause?: LoggedError;
}

const deepestCause = 5;

/**
 * The error fields that a log line may show (ENV-24), including its causes. Libraries attach the whole call to their
 * errors, with tokens in the URL and body, so all other fields are left out.
 */
export function logError(error: unknown): unknown {
  return error instanceof Error ? shown(error, 0) : error;
}

function shown(error: Error, depth: number): LoggedError {
  const { name, message, stack, cause } = error;
  const { code, status, method, url } = error as Error & Record<string, unknown>;
  return {
    type: error.constructor?.name || name,
    message,
    ...(stack !== undefined && { stack }),
    ...((typeof code === 'string' || typeof code === 'number') && { code }),
    ...(typeof status === 'number' && { status }),
    ...(typeof method === 'string' && { method }),
    ...(typeof url === 'string' && { url: cutUrl(url) }),
    ...(cause instanceof Error && depth < deepestCause && { cause: shown(cause, depth + 1) }),
  };
}
