import { type CodeOf, type ErrorKind, kindOfRefusal, type RefusalCode } from './refusal-codes.js';
import { t } from './translate.js';

/** One problem in an input: `path` in dotted form (`roleIds.0`), `message` as text. */
export interface Issue {
  path: string;
  message: string;
}

/**
 * A refusal that the caller can act on. `code` belongs to the public API (API-7) and determines the `kind`. `message`
 * is one sentence for people and is never compared. `details` are facts for an edge to show or use.
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

/**
 * At most this many issues are listed for one input: a million wrong elements would otherwise cause an answer with many
 * megabytes.
 */
const mostIssues = 100;

/** The input does not fit its schema or its meaning; `issues` lists every problem, up to 100, not only the first. */
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

/** `scheme`: the Authorization header's expected first word. */
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

/** `code` names the missing thing: `guild_not_found`, `mapping_not_found`, `not_linked` … */
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

/** The version to replace is not the one that the caller has seen (If-Match). */
export class VersionMismatch extends AppError {
  constructor() {
    super('version_mismatch', 'This has changed since you read it. Read it again, then make your change.');
  }
}

/** Too many attempts; `retryAfterSeconds` is the time until the next one makes sense. */
export class RateLimited extends AppError {
  constructor(
    readonly retryAfterSeconds: number,
    message = 'Too many requests.',
  ) {
    super('rate_limited', message, { retryAfterSeconds });
  }
}

/** The plan's limit is reached (PLAN-3); `limit` is the plan's number. */
export class PlanLimitReached extends AppError {
  constructor(message: string, details: { resource: string; limit: number; plan: string }) {
    super('plan_limit_reached', message, details);
  }
}

/**
 * Roblox failed, was slow, or answered incompletely. Nothing follows from it, least of all that a person has left a
 * group (SYNC-2).
 */
export class GamePlatformUnavailable extends AppError {
  constructor(message = "Roblox isn't answering reliably right now.", options?: ErrorOptions) {
    super('game_platform_unavailable', message, {}, options);
  }
}

/**
 * Roblox refuses this read permanently: it needs a valid API key, or the read no longer exists. The operator can act;
 * waiting doesn't help. As with an outage, it is no basis for a conclusion.
 */
export class GamePlatformClosed extends GamePlatformUnavailable {
  override readonly code = 'game_platform_closed';
}

export class ChatPlatformUnavailable extends AppError {
  constructor(
    message = "Discord isn't answering reliably right now.",
    options?: ErrorOptions,
    details: { retryAfterSeconds?: number; reason?: string } = {},
  ) {
    super('chat_platform_unavailable', message, details, options);
  }
}

/** Discord's answer does not match its documentation, so it is no basis for a conclusion. Over HTTP a 502. */
export class ChatPlatformUnreadable extends ChatPlatformUnavailable {
  constructor(options?: ErrorOptions) {
    super("Discord sent an answer that Rolelink doesn't understand.", options);
  }
}
