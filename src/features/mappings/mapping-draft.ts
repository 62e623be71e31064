import { z } from 'zod';
import { lineOfText } from '../../lib/fields.js';
import { snowflake } from '../../lib/ids.js';
import { condition, leavesOf } from './condition.js';

/** What a mapping is made of: the body of POST and PUT …/mappings (SPEC §4). What PUT leaves out has its default. */
export const mappingDraft = z
  .strictObject({
    name: lineOfText(100).nullable().default(null),
    condition,
    roleIds: z
      .array(snowflake)
      .max(10)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a role twice')
      .default([])
      .describe('1 to 10; none with the condition `group_roles`, whose roles are found by their names.'),
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
