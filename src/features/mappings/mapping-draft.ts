import { z } from 'zod';
import { lineOfText } from '../../lib/fields.js';
import { snowflake } from '../../lib/ids.js';
import { condition } from './condition.js';

/** What a mapping is made of: the body of POST and PUT …/mappings (SPEC §4). What PUT leaves out has its default. */
export const mappingDraft = z
  .strictObject({
    name: lineOfText(100).nullable().default(null),
    condition,
    roleIds: z
      .array(snowflake)
      .min(1)
      .max(10)
      .refine((ids) => new Set(ids).size === ids.length, 'must not name a role twice'),
    removeWhenUnmatched: z.boolean().default(true),
    enabled: z.boolean().default(true),
  })
  .meta({ id: 'MappingDraft' });
export type MappingDraft = z.output<typeof mappingDraft>;
