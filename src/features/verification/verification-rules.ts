import { SignInNotConfigured } from '../../core/auth/discord-oauth.js';
import { signInEnabled } from '../../core/auth/sign-in.js';
import type { Guild } from '../../core/guilds/guild-service.js';
import {
  defaultSettings,
  type GuildSettings,
  type ProofMethod,
  proofMethod,
} from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { AppError, Conflict, Forbidden } from '../../lib/errors.js';
import { gameOAuthEnabled } from '../../platforms/roblox/game-oauth.js';
import { takesGameCodes } from '../tokens/token-service.js';

type VerificationRules = GuildSettings['verification'];

/** The guild data that an interaction has read already. Ignored for another guild's session. */
export interface KnownGuild {
  guild: Guild;
  settings: GuildSettings;
}

/** A guild's rules; without one the platform's defaults hold. */
export async function rulesOf(guildId: string | null, known?: KnownGuild): Promise<VerificationRules> {
  if (guildId === null) return defaultSettings.verification;
  const { verification } = known?.guild._id === guildId ? known.settings : await readSettings(guildId);
  return verification;
}

/** The methods that people may choose in a guild: codes from a game only if a game there may hand them in. */
export async function waysOf(guildId: string | null, known?: KnownGuild): Promise<ProofMethod[]> {
  const methods = availableMethods(await rulesOf(guildId, known));
  const takesCodes = guildId !== null && methods.length > 0 && (await takesGameCodes(guildId));
  return takesCodes ? [...methods, 'game_code'] : methods;
}

/**
 * The methods that the rules allow and that are configured here. `waysOf` adds the conditions for a guild's own game.
 */
export function availableMethods(rules: VerificationRules): ProofMethod[] {
  const { enabled, methods } = rules;
  if (!enabled) return [];
  return proofMethod.options.filter(
    (method) => methods.some((allowed) => allowed === ruleOf(method)) && isSetUp(method),
  );
}

/** The setting by which a guild allows a method: one that allows sign-in also allows it through Discord. */
const ruleOf = (method: ProofMethod): ProofMethod => (method === 'discord_connection' ? 'oauth' : method);

function isSetUp(method: ProofMethod): boolean {
  if (method === 'discord_connection') return signInEnabled();
  return method !== 'oauth' || gameOAuthEnabled();
}

/**
 * Refuses a method that the rules do not allow. Throws Forbidden `verification_disabled`, Conflict `method_unavailable`,
 * and `oauth_not_configured` and `sign_in_not_configured` (503, like billing without a provider).
 */
export function requireMethod(rules: VerificationRules, method: ProofMethod): void {
  if (!rules.enabled) throw new Forbidden('verification_disabled', 'Verification is turned off in this server.');
  // Server managers allow this method by creating a token for the game.
  if (method === 'game_code') return;
  if (!rules.methods.some((allowed) => allowed === ruleOf(method))) {
    const allowed = rules.methods.join(', ');
    throw new Conflict('method_unavailable', `This server doesn't allow this method. It allows: ${allowed}.`);
  }
  if (isSetUp(method)) return;
  if (method === 'oauth') {
    throw new AppError('oauth_not_configured', "Signing in with Roblox isn't set up here.");
  }
  throw new SignInNotConfigured();
}

/** Refuses codes from a game if no game could hand them in. Throws Conflict `method_unavailable`. */
export async function requireVerifier(guildId: string | null, method: ProofMethod): Promise<void> {
  if (method !== 'game_code' || (guildId !== null && (await takesGameCodes(guildId)))) return;
  throw new Conflict(
    'method_unavailable',
    "None of this server's games accepts codes. An admin can create a token for one.",
  );
}
