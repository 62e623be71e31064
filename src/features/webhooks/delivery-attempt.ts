import { type Dispatcher, request } from 'undici';
import { clock } from '../../lib/clock.js';
import { retryAfterMs } from '../../lib/retry-after.js';
import type { AttemptOutcome } from './delivery-model.js';

/** The limit for one attempt, from name resolution to the end of the answer (HOOK-13). */
export const attemptLimitMs = 10_000;

/** This much of an answer's body is read and kept; the connection is closed when there is more. */
const keptBytes = 4 * 1024;

/** The network's error message is cut to this many characters. */
const keptErrorLength = 300;

export interface DeliveryRequest {
  url: string;
  headers: Record<string, string>;
  body: Buffer;
  dispatcher: Dispatcher;
  limitMs?: number;
}

export interface AttemptResult {
  outcome: AttemptOutcome;
  latencyMs: number;
  status?: number;
  responseBody?: string;
  error?: string;
  /** How long the answer's `Retry-After` asks to wait. */
  retryAfterMs?: number;
}

/**
 * Sends a delivery once and returns the outcome; never throws. Delivered means a 2xx status and a body that arrives in
 * time, up to the 4 KiB read. Redirects are failures and are not followed (HOOK-13).
 */
export async function attemptDelivery(delivery: DeliveryRequest): Promise<AttemptResult> {
  const startedAt = clock.monotonicMs();
  const result = await exchange(delivery).catch((error: unknown) => ({
    outcome: classifyError(error),
    error: wordsOf(error),
  }));
  return { ...result, latencyMs: Math.round(clock.monotonicMs() - startedAt) };
}

async function exchange(delivery: DeliveryRequest): Promise<Omit<AttemptResult, 'latencyMs'>> {
  const { url, headers, body, dispatcher, limitMs = attemptLimitMs } = delivery;
  // Not AbortSignal.timeout: its timer would outlive each attempt, among thousands, by up to ten seconds.
  const limit = new AbortController();
  const timer = setTimeout(
    () => limit.abort(new DOMException(`No answer within ${limitMs} ms`, 'TimeoutError')),
    limitMs,
  );
  try {
    return await readAnswer(await request(url, { method: 'POST', headers, body, dispatcher, signal: limit.signal }));
  } finally {
    clearTimeout(timer);
  }
}

async function readAnswer(answer: Dispatcher.ResponseData): Promise<Omit<AttemptResult, 'latencyMs'>> {
  const { statusCode: status } = answer;
  const answered = { status, ...retryAfterOf(answer.headers) };
  try {
    return { outcome: classifyStatus(status), ...answered, responseBody: await readStart(answer) };
  } catch (error) {
    return { outcome: classifyError(error), ...answered, error: wordsOf(error) };
  }
}

/**
 * A body's first bytes as text. Leaving the loop early closes the connection, so that no more arrives. A body announced
 * as short is read whole, which is quicker.
 */
async function readStart({ body, headers }: Dispatcher.ResponseData): Promise<string> {
  if (Number(headers['content-length'] ?? Number.NaN) <= keptBytes) return body.text();
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body) {
    chunks.push(chunk);
    size += chunk.length;
    if (size >= keptBytes) break;
  }
  // `stream` drops a character that was cut in the middle.
  return new TextDecoder().decode(Buffer.concat(chunks).subarray(0, keptBytes), { stream: true });
}

function retryAfterOf(headers: Record<string, string | string[] | undefined>): { retryAfterMs?: number } {
  const waitMs = retryAfterMs([headers['retry-after']].flat()[0]);
  return waitMs === undefined ? {} : { retryAfterMs: waitMs };
}

function classifyStatus(status: number): AttemptOutcome {
  if (status >= 200 && status < 300) return 'succeeded';
  return status >= 300 && status < 400 ? 'redirect' : 'http_error';
}

/** Error codes from our target guard, Node's network, OpenSSL and undici, and the outcome each means. */
const outcomesByCode: readonly [RegExp, AttemptOutcome][] = [
  [/^FORBIDDEN_TARGET$/, 'forbidden_target'],
  [/^UND_ERR_(DESTROYED|CLOSED)$/, 'interrupted'],
  [/^(TimeoutError|ETIMEDOUT|UND_ERR_(CONNECT|HEADERS|BODY)_TIMEOUT)$/, 'timeout'],
  [/^ECONNREFUSED$/, 'refused'],
  [/^(ECONNRESET|EPIPE|ECONNABORTED|UND_ERR_SOCKET|UND_ERR_RES_CONTENT_LENGTH_MISMATCH)$/, 'reset'],
  [/^(EHOSTUNREACH|ENETUNREACH|EADDRNOTAVAIL|ENETDOWN|EHOSTDOWN|EACCES|EPERM)$/, 'unreachable'],
  [/^(ENOTFOUND|ENODATA|EAI_\w+|ESERVFAIL)$/, 'dns'],
  [/^(EPROTO|ERR_TLS_\w+|ERR_SSL_\w+|CERT_\w+|\w+_CERT(_\w+)?|\w+_SIGNATURE|HOSTNAME_MISMATCH)$/, 'tls'],
  [/^(HPE_\w+|HTTPParserError|UND_ERR_HEADERS_OVERFLOW)$/, 'invalid_answer'],
];

function classifyError(error: unknown): AttemptOutcome {
  for (const cause of causesOf(error)) {
    const code = codeOf(cause);
    const known = outcomesByCode.find(([codes]) => codes.test(code));
    if (known) return known[1];
  }
  return 'other';
}

/** An error and its causes: a host with several addresses fails with one error for each. */
function causesOf(error: unknown): Error[] {
  if (!(error instanceof Error)) return [];
  const inner: unknown[] = error instanceof AggregateError ? error.errors : [];
  return [error, ...inner.flatMap(causesOf), ...causesOf(error.cause)];
}

const codeOf = (error: Error): string => ('code' in error && typeof error.code === 'string' ? error.code : error.name);

/** An AggregateError has no message of its own. */
function wordsOf(error: unknown): string {
  const words = causesOf(error)
    .map(({ message }) => message)
    .find((message) => message !== '');
  return (words ?? String(error)).slice(0, keptErrorLength);
}
