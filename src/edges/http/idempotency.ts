import { createHash } from 'node:crypto';
import { type Model, model, trusted } from 'mongoose';
import { z } from 'zod';
import { clock } from '../../lib/clock.js';
import { AppError, Conflict } from '../../lib/errors.js';
import { logger } from '../../lib/logger.js';
import { SealBroken, type SealFor, seal, unseal } from '../../lib/sealed-secrets.js';
import { dayMs, minuteMs } from '../../lib/time.js';
import { isDuplicateKey } from '../../platforms/database/duplicate-key.js';
import { schemaOf } from '../../platforms/database/schema-of.js';
import type { Answer } from './answer.js';

export const idempotencyKey = 'idempotency-key';

/** The header that makes a creating request repeatable (API-12). */
export const idempotencyHeader = {
  [idempotencyKey]: z
    .string()
    .regex(/^[\x21-\x7e]{1,255}$/, 'must be 1 to 255 visible ASCII characters')
    .optional()
    .describe('Repeating the request with the same key within 24 hours creates nothing twice.'),
};

const keptMs = dayMs;
/** Longer than any request takes. A request still unfinished after this time was killed. */
const longestRequestMs = 2 * minuteMs;

/** A request with a key. The key is not stored, and the answer only encrypted. */
const keyedRequestFields = z.strictObject({
  /** SHA-256 over caller, path and key. */
  _id: z.string(),
  /** SHA-256 over query and body. */
  inputHash: z.string(),
  state: z.enum(['running', 'done', 'unknown']),
  /** The sealed answer, once the request is done. */
  answer: z.string().exactOptional(),
  startedAt: z.date(),
  expiresAt: z.date(),
});
type KeyedRequest = z.output<typeof keyedRequestFields>;

const schema = schemaOf('idempotency_keys', keyedRequestFields);
// The purge for expired ones.
schema.index({ expiresAt: 1 });

const KeyedRequests: Model<KeyedRequest> = model<KeyedRequest>('KeyedRequest', schema);

const storedAnswer = z.object({
  status: z.int(),
  body: z.unknown(),
  headers: z.record(z.string(), z.string()).optional(),
});

/** A request with a key. `caller`, `path` and `key` identify it; `input` must be the same in a repetition. */
export interface RepeatableRequest {
  caller: string;
  path: string;
  key: string;
  input: unknown;
}

/**
 * Does a request's work once, however often it is repeated within 24 hours, and returns the same answer each time. A
 * refusal (AppError) has created nothing and frees the key. After any other failure the outcome is unknown, and the key
 * stays used. Throws AppError `idempotency_key_reused` for another input with the key, Conflict `request_in_progress`,
 * Conflict `outcome_unknown`.
 */
export async function answerOnce(request: RepeatableRequest, work: () => Promise<Answer>): Promise<Answer> {
  const name = JSON.stringify([request.caller, request.path, request.key]);
  const _id = sha256(name);
  const before = await claim(_id, sha256(JSON.stringify(request.input)));
  if (before !== null) return replay(before, name);
  const answer = await work().catch(async (error: unknown) => {
    if (error instanceof AppError) await KeyedRequests.deleteOne({ _id });
    else await keep(_id, { state: 'unknown' });
    throw error;
  });
  const { status, body, headers } = answer;
  await keep(_id, { state: 'done', answer: await seal({ status, body, ...(headers && { headers }) }, sealFor(name)) });
  return answer;
}

const sha256 = (text: string): string => createHash('sha256').update(text).digest('hex');

/** The database does not contain the key, so SECRETS_KEY alone can't open the answer. */
const sealFor = (name: string): SealFor => ({ purpose: 'idempotent-answer', salt: name });

/**
 * Claims the key for this request and returns null. If it is taken, returns the earlier request, which must have the
 * same input.
 */
async function claim(_id: string, inputHash: string): Promise<KeyedRequest | null> {
  const startedAt = clock.now();
  const expiresAt = new Date(startedAt.getTime() + keptMs);
  await KeyedRequests.deleteOne({ _id, expiresAt: trusted({ $lte: startedAt }) });
  try {
    await KeyedRequests.create({ _id, inputHash, state: 'running', startedAt, expiresAt });
    return null;
  } catch (error) {
    if (!isDuplicateKey(error)) throw error;
  }
  const found = await KeyedRequests.findOne({ _id }).lean<KeyedRequest | null>();
  if (found === null) throw inProgress();
  if (found.inputHash === inputHash) return found;
  throw new AppError(
    'idempotency_key_reused',
    'This Idempotency-Key came with another request. Use a new one for each thing that you create.',
  );
}

async function replay({ state, answer, startedAt }: KeyedRequest, name: string): Promise<Answer> {
  if (answer !== undefined) {
    const { headers, ...rest } = await unseal(storedAnswer, answer, sealFor(name)).catch((error: unknown) => {
      throw error instanceof SealBroken ? outcomeUnknown() : error;
    });
    return { ...rest, headers: { ...headers, 'Idempotency-Replayed': 'true' } };
  }
  if (state === 'running' && clock.epochMs() - startedAt.getTime() < longestRequestMs) throw inProgress();
  throw outcomeUnknown();
}

const outcomeUnknown = (): Conflict =>
  new Conflict(
    'outcome_unknown',
    'The first request with this Idempotency-Key failed halfway and may have been carried out. Check, then use a new key.',
  );

const inProgress = (): Conflict =>
  new Conflict('request_in_progress', 'The first request with this Idempotency-Key is still in progress.', {
    retryAfterSeconds: 1,
  });

/** If the result can't be stored, it later counts as unknown; the caller still gets it now. */
async function keep(_id: string, change: Pick<KeyedRequest, 'state'> & Partial<KeyedRequest>): Promise<void> {
  await KeyedRequests.updateOne({ _id }, { $set: change }).catch((error: unknown) =>
    logger.warn({ err: error }, 'outcome of an idempotent request not stored'),
  );
}

/** Deletes requests that began 24 hours ago. */
export async function purgeKeyedRequests(now: Date): Promise<void> {
  await KeyedRequests.deleteMany({ expiresAt: trusted({ $lte: now }) });
}
