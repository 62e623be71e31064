import { defaultSettings, type GuildSettings, type VerificationMethod } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { AppError, Conflict, Forbidden } from '../../lib/errors.js';
import { gameOAuthEnabled } from '../../platforms/roblox/game-oauth.js';

type VerificationRules = GuildSettings['verification'];

/** Without a guild the default settings apply. */
async function rulesOf(guildId: string | null): Promise<VerificationRules> {
  return guildId === null ? defaultSettings.verification : (await readSettings(guildId)).verification;
}

/** The methods that people may choose in a guild (null: without one), as far as they are set up here. */
export async function availableMethods(guildId: string | null): Promise<VerificationMethod[]> {
  const { enabled, methods } = await rulesOf(guildId);
  return enabled ? methods.filter((method) => method !== 'oauth' || gameOAuthEnabled()) : [];
}

/**
 * The rules under which `method` may be used. Throws Forbidden `verification_disabled`, Conflict `method_unavailable`,
 * and `oauth_not_configured` (503, like billing without a provider).
 */
export async function requireMethod(guildId: string | null, method: VerificationMethod): Promise<VerificationRules> {
  const rules = await rulesOf(guildId);
  if (!rules.enabled) throw new Forbidden('verification_disabled', 'Verification is switched off in this server.');
  if (!rules.methods.includes(method)) {
    const allowed = rules.methods.join(', ');
    throw new Conflict('method_unavailable', `This server does not allow this method; it allows: ${allowed}.`);
  }
  if (method === 'oauth' && !gameOAuthEnabled()) {
    throw new AppError('unavailable', 'oauth_not_configured', 'Signing in through Roblox is not set up here.');
  }
  return rules;
}
