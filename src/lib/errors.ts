import { type CodeOf, type ErrorKind, kindOfRefusal, type RefusalCode } from './refusal-codes.js';
import { t } from './translate.js';

/** One problem of an input: `path` in dotted form (`roleIds.0`), `message` in words. */
export interface Issue {
  path: string;
  message: string;
}

/**
 * A refusal that the caller can act on.
 * `code` is part of the public API (API-7) and says the `kind`; `message` is one sentence for people and is
 * never matched on; `details` are facts that an edge may show or act on.
 */
export class AppError extends Error {
  readonly kind: ErrorKind;

  constructor(
    readonly code: RefusalCode,
    message: string,
    readonly details: Readonly<Record<string, unknown>> = {},
    options?: ErrorOptions,
  ) {
    super(message, options);
    this.name = new.target.name;
    this.kind = kindOfRefusal[code];
  }
}

/** Most problems of one input that are listed: a list of a million wrong elements would make an answer of many megabytes. */
const mostIssues = 100;

/** The input does not fit its schema or its meaning; `issues` lists every problem, up to 100, not just the first. */
export class InvalidRequest extends AppError {
  readonly issues: readonly Issue[];

  constructor(issues: readonly Issue[], message = t('error.not_valid')) {
    const listed = listOf(issues);
    super('invalid_request', message, { issues: listed });
    this.issues = listed;
  }
}

function listOf(issues: readonly Issue[]): readonly Issue[] {
  if (issues.length <= mostIssues) return issues;
  const more = { path: '', message: `has ${issues.length - mostIssues} more problems than are listed here` };
  return [...issues.slice(0, mostIssues), more];
}

/** `scheme`: what the Authorization header should have begun with. */
export class Unauthenticated extends AppError {
  constructor(
    message = t('error.unauthenticated'),
    readonly scheme: 'Bot' | 'Bearer' = 'Bot',
  ) {
    super('unauthenticated', message);
  }
}

export class Forbidden extends AppError {
  constructor(
    code: CodeOf<'forbidden'> = 'forbidden',
    message = t('error.forbidden'),
    details: Record<string, unknown> = {},
  ) {
    super(code, message, details);
  }
}

/** `code` names what was not found: `guild_not_found`, `mapping_not_found`, `not_linked` … */
export class NotFound extends AppError {
  constructor(code: CodeOf<'not_found'>, message: string) {
    super(code, message);
  }
}

export class Conflict extends AppError {
  constructor(code: CodeOf<'conflict'>, message: string, details: Record<string, unknown> = {}) {
    super(code, message, details);
  }
}

/** What was to be replaced is not what the caller has seen (If-Match). */
export class VersionMismatch extends AppError {
  constructor() {
    super('version_mismatch', 'This was changed after you read it. Read it again, and change what is there now.');
  }
}

/** Tried too often; `retryAfterSeconds` says when it makes sense again. */
export class RateLimited extends AppError {
  constructor(
    readonly retryAfterSeconds: number,
    message = 'Too many requests.',
  ) {
    super('rate_limited', message, { retryAfterSeconds });
  }
}

/** The plan's limit is reached (PLAN-3); `limit` is the number that the plan allows. */
export class PlanLimitReached extends AppError {
  constructor(message: string, details: { resource: string; limit: number; plan: string }) {
    super('plan_limit_reached', message, details);
  }
}

/**
 * Roblox failed, was slow, or answered incompletely. Nothing may be concluded from it, least of all that somebody
 * has left a group (SYNC-2).
 */
export class GamePlatformUnavailable extends AppError {
  constructor(message = 'Roblox is not answering reliably right now.', options?: ErrorOptions) {
    super('game_platform_unavailable', message, {}, options);
  }
}

/**
 * Roblox refuses this read for good, because it takes an API key that we don't have or that Roblox doesn't accept, or
 * because it is gone: the operator can act, waiting can't. As with an outage, nothing may be concluded from it.
 */
export class GamePlatformClosed extends GamePlatformUnavailable {
  override readonly code = 'game_platform_closed';
}

/** Discord failed or was slow, so that the outcome of what was asked is not known. */
export class ChatPlatformUnavailable extends AppError {
  constructor(message = 'Discord is not answering reliably right now.', options?: ErrorOptions) {
    super('chat_platform_unavailable', message, {}, options);
  }
}

/** Discord answered with something else than it documents, so that nothing can be concluded from it. Over HTTP a 502. */
export class ChatPlatformUnreadable extends ChatPlatformUnavailable {
  constructor(options?: ErrorOptions) {
    super('Discord answered with something that Rolelink does not understand.', options);
  }
}
