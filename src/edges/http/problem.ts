import { z } from 'zod';
import { config } from '../../config/config.js';
import { blockedRole } from '../../features/members/member-sync-fields.js';
import { failureReason } from '../../features/verification/failure-words.js';
import { AppError, ChatPlatformUnreadable, InvalidRequest } from '../../lib/errors.js';
import { allRefusalCodes, type ErrorKind, kindOfRefusal, type RefusalCode } from '../../lib/refusal-codes.js';
import { isTextKey, t } from '../../lib/translate.js';
import { refusalWords } from '../../lib/translate-refusal.js';
import { isDatabaseTrouble } from '../../platforms/database/database-trouble.js';

/** HTTP status for each refusal kind (API-7). */
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

/** Retry time after a 503 with unknown duration. */
export const retryAfterSeconds = 30;

/** Problem codes outside Rolelink's own refusals: from HTTP itself, or for a fault. */
const codesOfHttp = {
  body_too_large: 413,
  internal_error: 500,
  method_not_allowed: 405,
  unsupported_media_type: 415,
} as const;

export type ProblemCode = RefusalCode | keyof typeof codesOfHttp;
const httpCodes = Object.keys(codesOfHttp) as (keyof typeof codesOfHttp)[];

export const allProblemCodes: readonly ProblemCode[] = [...allRefusalCodes, ...httpCodes];

/** A code's statuses. An unreadable answer from Discord has another one than a missing answer. */
export function statusesOf(code: ProblemCode): readonly number[] {
  if (code === 'chat_platform_unavailable') return [unreadableStatus, statusOfKind.unavailable];
  return [isOfHttp(code) ? codesOfHttp[code] : statusOfKind[kindOfRefusal[code]]];
}

const isOfHttp = (code: ProblemCode): code is keyof typeof codesOfHttp => code in codesOfHttp;

const unreadableStatus = 502;

/** RFC 9457 problem document (API-7). `reason` says why a verification failed (VER-4). */
export const problemDocument = z
  .strictObject({
    type: z.string().describe("The address of the code's row in the table of refusals."),
    title: z.string().describe('The status in words.'),
    status: z.int().describe('The HTTP status.'),
    detail: z.string().describe('What happened and what to do, for people.'),
    code: z.enum(allProblemCodes).describe('The stable code, for programs.'),
    requestId: z.string(),
    reason: failureReason.optional(),
    errors: z.array(z.strictObject({ path: z.string(), message: z.string() })).optional(),
    blocked: z.array(blockedRole).optional(),
  })
  .meta({ id: 'Problem' });
export type Problem = z.output<typeof problemDocument>;

/** Errors thrown by Koa's own middleware carry the status and whether their message may be shown. */
interface HttpError extends Error {
  status: number;
  expose: boolean;
}

const codeOfStatus: Readonly<Record<number, ProblemCode>> = {
  404: 'not_found',
  ...Object.fromEntries(httpCodes.map((code) => [codesOfHttp[code], code])),
};

/**
 * Converts an error to an HTTP problem, in the running code's language if there is a translation. An unknown fault
 * shows only the request id.
 */
export function toProblem(error: unknown, requestId: string): Problem {
  if (error instanceof AppError) return { ...fromAppError(error), requestId };
  if (isHttpError(error)) {
    return problem(error.status, codeOfStatus[error.status] ?? 'invalid_request', error.message, requestId);
  }
  return problem(500, 'internal_error', t('page.fault'), requestId);
}

/**
 * The refusal that an edge shows for an error. An unavailable database is a temporary refusal, not a fault in the
 * request.
 */
export function refusalOf(error: unknown): unknown {
  if (!isDatabaseTrouble(error)) return error;
  return new AppError(
    'database_unavailable',
    "The database didn't answer in time. Your request may have been carried out: check before you repeat it.",
    { retryAfterSeconds: 5 },
    { cause: error },
  );
}

function titleOf(status: number): string {
  const key = `title.${status}`;
  return t(isTextKey(key) ? key : 'title.500');
}

function problem(status: number, code: ProblemCode, detail: string, requestId: string): Problem {
  return {
    type: `${config().publicUrl}/docs#refusal-${code}`,
    title: titleOf(status),
    status,
    detail,
    code,
    requestId,
  };
}

function fromAppError(error: AppError): Problem {
  const { blocked } = error.details;
  // Other refusals also have reasons, used for their texts.
  const reason = failureReason.safeParse(error.details.reason).data;
  return {
    ...problem(statusOf(error), error.code, refusalWords(error), ''),
    ...(reason !== undefined && { reason }),
    ...(blocked !== undefined && { blocked: z.array(blockedRole).parse(blocked) }),
    ...(error instanceof InvalidRequest && { errors: [...error.issues] }),
  };
}

const statusOf = (error: AppError): number =>
  error instanceof ChatPlatformUnreadable ? unreadableStatus : statusOfKind[error.kind];

function isHttpError(error: unknown): error is HttpError {
  return error instanceof Error && 'status' in error && 'expose' in error && error.expose === true;
}
