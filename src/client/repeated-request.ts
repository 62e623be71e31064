export interface Repeating {
  send: (request: Request) => Promise<Response>;
  attempts: number;
  timeoutMs: number;
  longestWaitMs: number;
}

/** Idempotent methods: repeated requests have the same effect (RFC 9110 §9.2.2). */
const idempotent = new Set(['GET', 'HEAD', 'OPTIONS', 'PUT', 'DELETE']);

/** Sends each request until its answer is final, but at most `attempts` times. */
export function repeating({ send, attempts, timeoutMs, longestWaitMs }: Repeating) {
  return async (request: Request): Promise<Response> => {
    const isRepeatable = idempotent.has(request.method) || request.headers.has('idempotency-key');
    for (let attempt = 1; ; attempt += 1) {
      const isLast = attempt >= attempts;
      try {
        const response = await withDeadline(isLast ? request : request.clone(), send, timeoutMs);
        const waitMs = isLast ? undefined : waitOf(response, isRepeatable, attempt);
        if (waitMs === undefined || waitMs > longestWaitMs) return response;
        await response.body?.cancel();
        await delay(waitMs, request.signal);
      } catch (error) {
        if (isLast || !isRepeatable || request.signal.aborted) throw error;
        await delay(Math.min(backoffMs(attempt), longestWaitMs), request.signal);
      }
    }
  };
}

/** Ends an attempt whose answer has not begun in time. The body, such as an export, may take longer. */
async function withDeadline(request: Request, send: Repeating['send'], timeoutMs: number): Promise<Response> {
  const late = new AbortController();
  const timer = setTimeout(() => late.abort(new Error(`No answer within ${timeoutMs} ms.`)), timeoutMs);
  try {
    return await send(new Request(request, { signal: AbortSignal.any([request.signal, late.signal]) }));
  } finally {
    clearTimeout(timer);
  }
}

/** Milliseconds until the next try; undefined for an answer that is final. */
function waitOf({ status, headers }: Response, isRepeatable: boolean, attempt: number): number | undefined {
  const asked = retryAfterMs(headers);
  // The service has done nothing for a request that it limits.
  if (status === 429) return asked ?? backoffMs(attempt);
  if (!isRepeatable) return undefined;
  // 409 with Retry-After: the first request with this key is still running.
  if (status === 409) return asked;
  return status === 503 || status === 502 || status === 504 ? (asked ?? backoffMs(attempt)) : undefined;
}

/** Milliseconds that an answer asks to wait (RFC 9110 §10.2.3): seconds, or a date, which is compared with the answer's own. */
function retryAfterMs(headers: Headers): number | undefined {
  const asked = headers.get('retry-after') ?? '';
  if (/^\d+(\.\d+)?$/.test(asked)) return Number(asked) * 1000;
  const ms = Date.parse(asked) - Date.parse(headers.get('date') ?? '');
  return Number.isNaN(ms) ? undefined : Math.max(0, ms);
}

/** One, two, four seconds …, up to a quarter less, so that many clients don't come back together. */
const backoffMs = (attempt: number): number => 1000 * 2 ** (attempt - 1) * (1 - Math.random() / 4);

/** Waits, unless the caller aborts the request. */
function delay(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    signal.throwIfAborted();
    const stop = (): void => {
      clearTimeout(timer);
      reject(signal.reason);
    };
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop);
      resolve();
    }, ms);
    signal.addEventListener('abort', stop, { once: true });
  });
}
