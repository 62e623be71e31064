import { Conflict } from '../../lib/errors.js';
import { t } from '../../lib/translate.js';
import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import type { MappingDraft } from './mapping-draft.js';
import { rolesAboveBot } from './mapping-rules.js';
import { readAllMappings } from './mappings-snapshot.js';

/** Roles that a refusal names. */
const mostNamed = 20;

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
