import { z } from 'zod';
import { type GuildSettings, guildSettings } from '../../core/settings/guild-settings.js';
import { lineOfText } from '../../lib/fields.js';
import { gameId } from '../../lib/ids.js';
import type { DiscordRole } from '../../platforms/discord/guild-facts.js';
import { draftOf, mappingDraft } from '../mappings/mapping-draft.js';
import type { Mapping } from '../mappings/mapping-service.js';
import type { MappingsPicture } from '../mappings/mappings-picture.js';

const { name, condition, nickname, removeWhenUnmatched, enabled } = mappingDraft.shape;

/** A mapping as a configuration says it. */
const configMapping = z.strictObject({
  name,
  condition,
  roles: z.array(lineOfText(100)).max(10).default([]).describe('Discord roles, by exact name or by id.'),
  nickname,
  removeWhenUnmatched,
  enabled,
});
export type ConfigMapping = z.output<typeof configMapping>;

/** The configuration of a guild in one document (SPEC §4): its Roblox groups, mappings and settings. */
export const guildConfig = z
  .strictObject({
    groups: z
      .array(gameId)
      .max(250)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a group twice'),
    mappings: z.array(configMapping).max(1000),
    settings: guildSettings,
  })
  .meta({ id: 'GuildConfig' });
export type GuildConfig = z.output<typeof guildConfig>;

/** The document of what a guild has now. Pure. */
export function configOf(picture: MappingsPicture, settings: GuildSettings): GuildConfig {
  return {
    groups: picture.groups.map(({ groupId }) => groupId),
    mappings: picture.mappings.map((mapping) => entryOf(mapping, picture)),
    settings,
  };
}

/** A mapping as the document says it. A role is called by its name, where that is not another's too. Pure. */
export function entryOf(mapping: Mapping, { facts }: Pick<MappingsPicture, 'facts'>): ConfigMapping {
  const all = [...facts.roles.values()];
  const nameOrId = (roleId: string): string => {
    const role = facts.roles.get(roleId);
    return role !== undefined && isClear(role, all) ? role.name : roleId;
  };
  const { roleIds, ...rest } = draftOf(mapping);
  return { ...rest, roles: roleIds.map(nameOrId) };
}

/** Whether the name of a role stands for it alone, and for no id. */
const isClear = ({ name }: DiscordRole, all: readonly DiscordRole[]): boolean =>
  all.filter((other) => other.name === name).length === 1 &&
  lineOfText(100).safeParse(name).data === name &&
  !/\d{17,20}/.test(name);
