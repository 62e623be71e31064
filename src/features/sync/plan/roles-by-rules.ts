import type { Guild } from '../../../core/guilds/guild-service.js';
import { type GuildRules, readStoredRules, rulesKeyOf } from './guild-rules.js';

/** The roles that matter to a guild's rules: those that they give and take, and those that exempt from them. */
export function rolesThatCount({ mappings, settings }: Pick<GuildRules, 'mappings' | 'settings'>): Set<string> {
  const { keepRoles, keepNickname } = settings.bypass;
  return new Set([...mappings.flatMap(({ roleIds }) => roleIds), ...keepRoles, ...keepNickname]);
}

export interface RolesByRules {
  roles: ReadonlySet<string>;
  /** The roles of mappings. Roles that only exempt from rules are not included. */
  mapped: ReadonlySet<string>;
  rulesKey: string;
}

export async function readRolesByRules(guild: Pick<Guild, '_id' | 'plan'>): Promise<RolesByRules> {
  const rules = await readStoredRules(guild);
  const mapped = new Set(rules.mappings.flatMap(({ roleIds }) => roleIds));
  return { roles: rolesThatCount(rules), mapped, rulesKey: rulesKeyOf(rules) };
}
