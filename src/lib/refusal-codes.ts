/**
 * Every refusal code of Rolelink, by kind (API-7). Codes are stable; each edge (HTTP, Discord, job) translates a kind
 * in one place.
 */
export const refusalCodes = {
  invalid: ['invalid_request', 'sign_in_failed', 'signature_invalid'],
  unauthenticated: ['unauthenticated'],
  plan_limit: ['plan_limit_reached'],
  forbidden: ['forbidden', 'guild_suspended', 'origin_mismatch', 'verification_disabled'],
  not_found: [
    'delivery_not_found',
    'game_code_not_valid',
    'gone_from_discord',
    'group_not_found',
    'guild_not_found',
    'import_not_found',
    'mapping_not_found',
    'member_not_found',
    'not_found',
    'not_linked',
    'nothing_to_answer',
    'resync_not_found',
    'role_not_found',
    'session_not_found',
    'teammate_not_found',
    'token_not_found',
    'webhook_not_found',
  ],
  conflict: [
    'account_transferred',
    'already_completed',
    'already_suspended',
    'awaiting_confirmation',
    'awaiting_transfer',
    'busy',
    'channel_unknown',
    'delivery_held',
    'delivery_in_progress',
    'discord_owner',
    'game_account_held',
    'group_exists',
    'group_in_use',
    'import_running',
    'import_source_off',
    'lease_lost',
    'mass_removal',
    'method_unavailable',
    'missing_permission',
    'not_suspended',
    'nothing_to_confirm',
    'outcome_unknown',
    'person_erased',
    'plan_in_force',
    'preview_applied',
    'preview_of_drafts',
    'proof_in_progress',
    'request_in_progress',
    'resync_finished',
    'resync_running',
    'retry_needed',
    'role_from_discord',
    'role_unmanageable',
    'subscription_exists',
    'subscription_missing',
    'teammate_exists',
    'too_many_tokens',
    'webhook_disabled',
    'webhook_paused',
    'webhook_removed',
  ],
  gone: ['preview_expired', 'session_expired'],
  precondition_failed: ['version_mismatch'],
  unprocessable: ['game_group_not_found', 'idempotency_key_reused', 'oauth_invalid', 'verification_failed'],
  rate_limited: ['rate_limited'],
  unavailable: [
    'billing_not_configured',
    'billing_provider_unavailable',
    'chat_platform_unavailable',
    'database_unavailable',
    'game_platform_closed',
    'game_platform_unavailable',
    'oauth_not_configured',
    'sign_in_not_configured',
  ],
} as const;

export type ErrorKind = keyof typeof refusalCodes;
export type CodeOf<Kind extends ErrorKind> = (typeof refusalCodes)[Kind][number];
export type RefusalCode = CodeOf<ErrorKind>;

export const allRefusalCodes: readonly RefusalCode[] = Object.values(refusalCodes).flat();

const kinds = Object.entries(refusalCodes).flatMap(([kind, codes]) => codes.map((code) => [code, kind] as const));
export const kindOfRefusal = Object.fromEntries(kinds) as Readonly<Record<RefusalCode, ErrorKind>>;
