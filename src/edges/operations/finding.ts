import { z } from 'zod';
import { rankingFaults } from '../../platforms/roblox/key-rights.js';

/** Finding codes, the key to the dashboard's translations. The first six belong to `rolelink doctor` alone. */
export const findingCodes = z.enum([
  'ok',
  'off',
  'unknown',
  'port_unusable',
  'variable_mistyped',
  'variable_overridden',
  'not_checked',
  'keys_missing',
  'keys_wrong',
  'keys_unreadable',
  'discord_token_ok',
  'discord_client_id_wrong',
  'discord_token_refused',
  'discord_intent_off',
  'discord_sign_in_off',
  'discord_secret_wrong',
  'discord_redirect_missing',
  'discord_sign_in_ok',
  'discord_permissions_no_server',
  'discord_permissions_ok',
  'discord_permissions_missing',
  'discord_review_none',
  'discord_review_far',
  'discord_review_near',
  'linked_roles_off',
  'linked_roles_ok',
  'linked_roles_not_registered',
  'linked_roles_url_wrong',
  'roblox_key_unset',
  'roblox_key_ok',
  'roblox_key_reads_logs',
  'roblox_key_wrong',
  'roblox_key_disabled',
  'roblox_key_expired',
  'roblox_key_expiring',
  'roblox_key_scope_missing',
  'ranking_off',
  'ranking_ok',
  ...rankingFaults.map((fault) => `ranking_${fault}` as const),
  'ranking_unattached',
  'game_messages_ok',
  'game_messages_key_unset',
  'game_messages_scope_missing',
  'game_messages_refused',
  'roblox_oauth_off',
  'roblox_oauth_ok',
  'roblox_oauth_wrong',
  'stripe_off',
  'stripe_price_unknown',
  'stripe_webhook_missing',
  'stripe_ok',
  'stripe_key_wrong',
  'database_ok',
  'database_unreachable',
  'shards_missing',
  'disk_ok',
  'disk_low',
  'clock_unknown',
  'clock_ok',
  'clock_off',
  'public_url_insecure',
  'trust_proxy_missing',
  'public_url_unchecked',
  'public_url_unreachable',
  'public_url_ok',
]);

type FindingCode = z.output<typeof findingCodes>;

/**
 * A check's result. `fault`: something does not work. `warning`: it works, but not well or not for long. `off`: not
 * configured, by choice. `unknown`: could not be checked now.
 */
export interface Finding {
  state: 'ok' | 'off' | 'warning' | 'fault' | 'unknown';
  /** Stable, for `/readyz` and alerts. */
  code: FindingCode;
  /** The parameters of those translations. */
  params: FindingParams;
  /** One sentence. */
  says: string;
  /** The remedy to click or type, for a warning or fault. */
  todo?: string;
}

type FindingParams = Readonly<Record<string, string | number>>;

/** One check. An exception counts as unknown. */
export interface Check {
  name: string;
  run(): Promise<Finding[]>;
}

type Said = (says: string, code?: FindingCode, params?: FindingParams) => Finding;
type Trouble = (code: FindingCode, says: string, todo: string, params?: FindingParams) => Finding;

export const ok: Said = (says, code = 'ok', params = {}) => ({ state: 'ok', code, params, says });
export const off: Said = (says, code = 'off', params = {}) => ({ state: 'off', code, params, says });
export const unknown: Said = (says, code = 'unknown', params = {}) => ({ state: 'unknown', code, params, says });
export const warning: Trouble = (code, says, todo, params = {}) => ({ state: 'warning', code, params, says, todo });
export const fault: Trouble = (code, says, todo, params = {}) => ({ state: 'fault', code, params, says, todo });
