import { z } from 'zod';
import { type GuildSettings, guildSettings, wishedSettings } from '../../core/settings/guild-settings.js';
import { lineOfText } from '../../lib/fields.js';
import { gameId } from '../../lib/ids.js';
import type { GuildFacts } from '../../platforms/discord/guild-facts.js';
import { draftOf, mappingDraft, mostRolesOfMapping } from '../mappings/mapping-draft.js';
import type { Mapping } from '../mappings/mapping-service.js';
import type { MappingsSnapshot } from '../mappings/mappings-snapshot.js';

const { name, condition, nickname, removeWhenUnmatched, enabled } = mappingDraft.shape;

/** A mapping in the form of a configuration document. */
const configMapping = z.strictObject({
  name,
  condition,
  roles: z
    .array(lineOfText(100))
    .max(mostRolesOfMapping)
    .default([])
    .describe('Discord roles, by exact name or by id.'),
  nickname,
  removeWhenUnmatched,
  enabled,
});
export type ConfigMapping = z.output<typeof configMapping>;

/** A guild's configuration in one document (CONF-1): its Roblox groups, mappings and settings. */
export const guildConfig = z
  .strictObject({
    groups: z
      .array(gameId)
      .max(250)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a group twice'),
    mappings: z.array(configMapping).max(1000),
    settings: wishedSettings,
  })
  .meta({ id: 'GuildConfig' });
export type GuildConfig = z.output<typeof guildConfig>;

/** The document as the service gives it: with every setting. */
export const currentConfig = guildConfig.extend({ settings: guildSettings }).meta({ id: 'CurrentConfig' });

/** The same document, with a server that only observes (CONF-61). Pure. */
export const observingConfig = (config: GuildConfig): GuildConfig => ({
  ...config,
  settings: { ...config.settings, mode: 'observe' },
});

/** The document for a guild's current configuration. Pure. */
export function configOf(snapshot: MappingsSnapshot, settings: GuildSettings): GuildConfig {
  const names = clearNames(snapshot.facts);
  return {
    groups: snapshot.groups.map(({ groupId }) => groupId),
    mappings: snapshot.mappings.map((mapping) => entryOf(mapping, names)),
    settings,
  };
}

/** A mapping in the document's form. A role has its name there, unless another role has the same. Pure. */
export function entryOf(mapping: Mapping, names: ReadonlyMap<string, string>): ConfigMapping {
  const { roleIds, ...rest } = draftOf(mapping);
  return { ...rest, roles: roleIds.map((roleId) => names.get(roleId) ?? roleId) };
}

/** The names by role id, for roles whose name is unique and equals no id. Pure. */
function clearNames({ roles }: GuildFacts): Map<string, string> {
  const all = [...roles.values()];
  const counts = new Map<string, number>();
  for (const { name } of all) counts.set(name, (counts.get(name) ?? 0) + 1);
  const isClear = (name: string) =>
    counts.get(name) === 1 && lineOfText(100).safeParse(name).data === name && !/\d{17,20}/.test(name);
  return new Map(all.filter(({ name }) => isClear(name)).map(({ roleId, name }) => [roleId, name]));
}

/** Gives a role's id as a document names it; the text itself where that is no clear name. Pure. */
export function rolesById(facts: GuildFacts): (role: string) => string {
  const ids = new Map([...clearNames(facts)].map(([roleId, name]) => [name, roleId]));
  return (role) => /^<@&(\d{17,20})>$/.exec(role)?.[1] ?? ids.get(role) ?? ids.get(role.replace(/^@/, '')) ?? role;
}
