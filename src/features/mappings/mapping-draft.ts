import { z } from 'zod';
import { groupIdsOfTemplate } from '../../core/settings/nickname-template.js';
import { lineOfText, optionalLine } from '../../lib/fields.js';
import { snowflake } from '../../lib/ids.js';
import { condition, groupIdsOf, leavesOf } from './condition.js';

/**
 * The nickname for people that a mapping matches. Among several the lowest order counts, and at equal order the oldest
 * mapping.
 */
const mappingNickname = z
  .strictObject({ template: lineOfText(200), order: z.int().min(1).max(1000).default(100) })
  .meta({ id: 'MappingNickname' });

export const mostRolesOfMapping = 10;

/** A mapping's parts: the body in POST and PUT …/mappings (MAP-12). A field that PUT leaves out has its default. */
export const mappingDraft = z
  .strictObject({
    name: optionalLine(100).default(null),
    condition,
    roleIds: z
      .array(snowflake)
      .max(mostRolesOfMapping)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a role twice')
      .default([])
      .describe('1 to 10; none with the condition `group_roles`, which finds roles by name.'),
    nickname: mappingNickname
      .nullable()
      .default(null)
      .describe('In place of the template in the settings, while nicknames are on there; null: none of its own.'),
    removeWhenUnmatched: z.boolean().default(true),
    enabled: z.boolean().default(true),
  })
  .refine(({ condition, roleIds }) => condition.type === 'group_roles' || roleIds.length > 0, {
    path: ['roleIds'],
    error: 'must name a role',
  })
  .refine(({ condition, roleIds }) => condition.type !== 'group_roles' || roleIds.length === 0, {
    path: ['roleIds'],
    error: 'must be empty: the roles of a whole group are found by the names of its ranks',
  })
  .refine(
    ({ condition }) => leavesOf(condition).every(({ path, leaf }) => path === '' || leaf.type !== 'group_roles'),
    {
      path: ['condition'],
      error: 'group_roles stands alone, and not in all, any or not',
    },
  )
  .meta({ id: 'MappingDraft' });
export type MappingDraft = z.output<typeof mappingDraft>;

/** The groups that a mapping depends on: its condition's and its nickname's. */
export function groupIdsNamed({ condition, nickname }: Pick<MappingDraft, 'condition' | 'nickname'>): string[] {
  return [...new Set([...groupIdsOf(condition), ...groupIdsOfTemplate(nickname?.template ?? '')])];
}

/** The draft behind a stored mapping or draft. Mappings older than the nickname feature have none. */
export function draftOf({
  name,
  condition,
  roleIds,
  nickname,
  removeWhenUnmatched,
  enabled,
}: MappingDraft): MappingDraft {
  return { name, condition, roleIds, nickname: nickname ?? null, removeWhenUnmatched, enabled };
}
