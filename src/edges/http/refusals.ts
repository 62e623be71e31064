import type { RefusalCode } from '../../lib/refusal-codes.js';
import { type Problem, type ProblemCode, statusesOf } from './problem.js';
import type { Route } from './route.js';

export const gameRefusals = ['game_platform_closed', 'game_platform_unavailable'] as const;

/** The refusals for an account's use beside others (VER-35). */
export const useRefusals = ['account_restricted', 'accounts_full', 'main_account_required'] as const;

/** Refusals for every route that begins or continues a verification. */
export const verificationRefusals = [
  'guild_not_found',
  'guild_suspended',
  'method_unavailable',
  'oauth_not_configured',
  'sign_in_not_configured',
  'verification_disabled',
  ...gameRefusals,
] as const;

/**
 * A route's refusals by status: those that follow from its access and input, and those it declares itself. The document
 * lists them, and tests check every refusal against them.
 */
export function refusalsOf(route: Route): ReadonlyMap<number, readonly ProblemCode[]> {
  const codes = new Set([...ofEveryRoute, ...ofAccess(route), ...ofInput(route), ...(route.options.refusals ?? [])]);
  const byStatus = new Map<number, ProblemCode[]>();
  for (const code of [...codes].sort()) {
    for (const status of statusesOf(code)) byStatus.set(status, [...(byStatus.get(status) ?? []), code]);
  }
  return new Map([...byStatus].sort(([a], [b]) => a - b));
}

/** In tests: throws for a refusal that its route doesn't declare, and so doesn't document. */
export function checkRefusal(route: Route, { status, code }: Problem): void {
  if (status === 500 || refusalsOf(route).get(status)?.includes(code)) return;
  throw new Error(`${route.name} does not document its refusal ${status} ${code}`);
}

const ofEveryRoute: readonly ProblemCode[] = ['invalid_request', 'rate_limited', 'internal_error'];

function ofAccess({ method, options: { access } }: Route): ProblemCode[] {
  if (access.kind === 'open') return [];
  if (access.kind === 'signed_by_provider') return ['database_unavailable', 'signature_invalid'];
  // A bot token's permissions depend on its maker, as read from Discord (AUTH-25).
  const common: ProblemCode[] = ['unauthenticated', 'chat_platform_unavailable', 'database_unavailable'];
  if (method !== 'GET') common.push('origin_mismatch');
  if (access.kind === 'platform_admin') return [...common, 'not_found'];
  // A token of a game is refused everywhere else.
  common.push('forbidden');
  if (access.kind === 'person' || access.kind === 'signed_in') return common;
  // Discord may no longer know the server or a member, or not show them to the bot.
  common.push('guild_not_found', 'gone_from_discord', 'missing_permission');
  return [...common, ...(access.kind === 'guild_role' && access.whileSuspended ? [] : (['guild_suspended'] as const))];
}

const notFoundBy: Readonly<Record<string, RefusalCode>> = {
  deliveryId: 'delivery_not_found',
  groupId: 'group_not_found',
  jobId: 'resync_not_found',
  changeId: 'rank_change_not_found',
  mappingId: 'mapping_not_found',
  roleId: 'role_not_found',
  sessionId: 'session_not_found',
  token: 'session_not_found',
  tokenId: 'token_not_found',
  webhookId: 'webhook_not_found',
};

function ofInput({ method, path, options: { access, repeatable } }: Route): ProblemCode[] {
  const codes: ProblemCode[] = [];
  // A malformed Discord id is refused early; other ids and tokens are looked up.
  const parts = path.split('/');
  const isOwn = access.kind === 'person' && parts.includes(':guildId');
  if (isOwn || path.startsWith('/api/admin/')) codes.push('not_found');
  for (const [parameter, code] of Object.entries(notFoundBy)) if (parts.includes(`:${parameter}`)) codes.push(code);
  if (method !== 'GET') codes.push('body_too_large');
  if (method !== 'GET' && access.kind !== 'signed_by_provider') codes.push('unsupported_media_type');
  if (repeatable) codes.push('idempotency_key_reused', 'outcome_unknown', 'request_in_progress');
  return codes;
}
