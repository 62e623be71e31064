import { z } from 'zod';
import { AppError, ChatPlatformUnreadable, type ErrorKind, InvalidRequest } from '../../lib/errors.js';
import { isDatabaseTrouble } from '../../platforms/database/database-trouble.js';

/** HTTP status of each kind of refusal (SPEC §3). */
const statusOfKind: Readonly<Record<ErrorKind, number>> = {
  invalid: 400,
  unauthenticated: 401,
  plan_limit: 402,
  forbidden: 403,
  not_found: 404,
  conflict: 409,
  gone: 410,
  precondition_failed: 412,
  unprocessable: 422,
  rate_limited: 429,
  unavailable: 503,
};

/** When to ask again after a 503 of which nobody knows how long it lasts. */
export const retryAfterSeconds = 30;

const titles: Readonly<Record<number, string>> = {
  400: 'Bad request',
  401: 'Not signed in',
  402: 'Plan limit reached',
  403: 'Forbidden',
  404: 'Not found',
  405: 'Method not allowed',
  409: 'Conflict',
  410: 'Gone',
  412: 'Precondition failed',
  413: 'Body too large',
  415: 'Unsupported media type',
  422: 'Unprocessable',
  429: 'Too many requests',
  500: 'Internal error',
  502: 'Bad gateway',
  503: 'Temporarily unavailable',
};

/** RFC 9457 problem document (SPEC §3). `reason` says why a verification failed (SPEC §5). */
export const problemDocument = z
  .strictObject({
    type: z.string(),
    title: z.string(),
    status: z.int(),
    detail: z.string(),
    code: z.string().regex(/^[a-z_]+$/),
    requestId: z.string(),
    reason: z.string().optional(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
    blocked: z.array(z.strictObject({ roleId: z.string(), reason: z.string() })).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.output<typeof problemDocument>;

/** Errors that Koa's own middleware throws carry the status and whether their message may be shown. */
interface HttpError extends Error {
  status: number;
  expose: boolean;
}

const codeOfStatus: Readonly<Record<number, string>> = {
  404: 'not_found',
  405: 'method_not_allowed',
  413: 'body_too_large',
  415: 'unsupported_media_type',
};

/** Puts an error into words for HTTP, once. An unknown fault tells nothing but the request id. */
export function toProblem(error: unknown, requestId: string): Problem {
  if (error instanceof AppError) return { ...fromAppError(error), requestId };
  if (isHttpError(error)) {
    return problem(error.status, codeOfStatus[error.status] ?? 'invalid_request', error.message, requestId);
  }
  return problem(500, 'internal_error', 'Something went wrong on our side. Tell us the request id.', requestId);
}

/** What an edge refuses with for an error: a database that is away is a passing refusal and no fault of the request. */
export function refusalOf(error: unknown): unknown {
  if (!isDatabaseTrouble(error)) return error;
  return new AppError(
    'unavailable',
    'database_unavailable',
    'The database did not answer in time. What you asked for may have been done: look before you repeat it.',
    { retryAfterSeconds: 5 },
    { cause: error },
  );
}

function problem(status: number, code: string, detail: string, requestId: string): Problem {
  return { type: 'about:blank', title: titles[status] ?? 'Error', status, detail, code, requestId };
}

function fromAppError(error: AppError): Problem {
  const { reason, blocked } = error.details;
  return {
    ...problem(statusOf(error), error.code, error.message, ''),
    ...(typeof reason === 'string' && { reason }),
    ...(Array.isArray(blocked) && { blocked }),
    ...(error instanceof InvalidRequest && { errors: [...error.issues] }),
  };
}

/** A platform that answers nonsense is told from one that doesn't answer. */
const statusOf = (error: AppError): number =>
  error instanceof ChatPlatformUnreadable ? 502 : statusOfKind[error.kind];

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && 'status' in error && 'expose' in error && error.expose === true;
}
