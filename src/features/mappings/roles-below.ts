import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { Conflict } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import type { MappingDraft } from './mapping-draft.js';
import { type Refusal, rolesAboveBot } from './mapping-rules.js';
import { readAllMappings } from './mappings-snapshot.js';

/** Roles that a refusal names. */
const mostNamed = 20;

/**
 * These refusals, without roles above the bot where the guild observes: it needs them below only to go live (CONF-62).
 * `mode`: as a change will leave it; by default as it is.
 */
export async function lessRolesAbove(
  refusals: readonly Refusal[],
  guildId: string,
  mode?: GuildSettings['mode'],
): Promise<readonly Refusal[]> {
  const less = refusals.flatMap(withoutAbove);
  const names = (all: readonly Refusal[]) => all.flatMap((one) => (one.kind === 'unmanageable' ? one.blocked : []));
  if (names(less).length === names(refusals).length) return refusals;
  return (mode ?? (await readSettings(guildId)).mode) === 'observe' ? less : refusals;
}

function withoutAbove(refusal: Refusal): Refusal[] {
  if (refusal.kind !== 'unmanageable') return [refusal];
  const blocked = refusal.blocked.filter(({ reason }) => reason !== 'role_above_bot');
  return blocked.length === 0 ? [] : [{ ...refusal, blocked }];
}

/**
 * Throws Conflict `role_unmanageable` if a stored mapping that is turned on gives a role above the bot, so that the
 * guild can't enforce yet (OBS-141). Throws ChatPlatformUnavailable.
 */
export async function requireRolesBelow(guildId: string): Promise<void> {
  const [facts, mappings] = await Promise.all([readGuildFacts(guildId), readAllMappings(guildId)]);
  requireBelow(facts, mappings);
}

/** The same for any mappings. Pure. */
export function requireBelow(facts: GuildFacts, mappings: readonly Pick<MappingDraft, 'enabled' | 'roleIds'>[]): void {
  const mapped = mappings.flatMap(({ enabled, roleIds }) => (enabled ? roleIds : []));
  const above = rolesAboveBot(facts, mapped);
  if (above.length === 0) return;
  const names = above.slice(0, mostNamed).map((roleId) => facts.roles.get(roleId)?.name ?? roleId);
  const roles = [...names, ...(above.length > mostNamed ? ['…'] : [])].join(', ');
  const blocked = above.map((roleId) => ({ roleId, reason: 'role_above_bot' as const }));
  throw new Conflict('role_unmanageable', t('import.roles_above', { roles }), { blocked });
}
