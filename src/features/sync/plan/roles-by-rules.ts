import type { Guild } from '../../../core/guilds/guild-service.js';
import type { GuildFacts } from '../../../platforms/discord/guild-facts.js';
import { heldRoleIds } from '../../mappings/mapping-status.js';
import { type GuildRules, readStoredRules, rulesKeyOf } from './guild-rules.js';

/** The roles that decide something in a guild: those that its rules give and take, and those that exempt from them. */
export function rolesThatCount({ mappings, settings }: Pick<GuildRules, 'mappings' | 'settings'>): Set<string> {
  const { keepRoles, keepNickname } = settings.bypass;
  return new Set([...mappings.flatMap(({ roleIds }) => roleIds), ...keepRoles, ...keepNickname]);
}

/** The roles of a guild by the rules that are stored now. */
export interface RolesByRules {
  /** Those that count. */
  roles: ReadonlySet<string>;
  /** Those that exempt from rules alone are not among these. */
  mapped: ReadonlySet<string>;
  rulesKey: string;
}

export async function readRolesByRules(guild: Pick<Guild, '_id' | 'plan'>): Promise<RolesByRules> {
  const rules = await readStoredRules(guild);
  const mapped = new Set(rules.mappings.flatMap(({ roleIds }) => roleIds));
  return { roles: rolesThatCount(rules), mapped, rulesKey: rulesKeyOf(rules) };
}

/**
 * The roles that stored mappings name and that have become dangerous in each of them (SPEC §2): not to be written, also
 * when they were planned before. And the roles that count.
 */
export async function readHeldRoles(
  guild: Pick<Guild, '_id' | 'plan'>,
  facts: GuildFacts,
): Promise<{ held: ReadonlySet<string>; roles: ReadonlySet<string>; isObserved: boolean }> {
  const rules = await readStoredRules(guild);
  const { mappings } = rules;
  const held = new Set(mappings.flatMap((mapping) => heldRoleIds(mapping, facts)));
  for (const mapping of mappings) {
    const ofIt = heldRoleIds(mapping, facts);
    for (const roleId of mapping.roleIds) if (!ofIt.includes(roleId)) held.delete(roleId);
  }
  return { held, roles: rolesThatCount(rules), isObserved: rules.settings.mode === 'observe' };
}
