import { z } from 'zod';
import { snowflake } from './ids.js';

/** Path parameters that name a guild. */
export const guildParams = z.strictObject({ guildId: snowflake });

/** Path parameters that name a person in a guild: `memberId` is their chatUserId (SPEC §1). */
export const memberParams = guildParams.extend({ memberId: snowflake });

/** Moments in answers: ISO 8601 UTC with milliseconds (SPEC §1). */
export const timestamp = z.iso.datetime({ precision: 3 });

/** The query of every list (SPEC §3); extend it with the list's own filters. */
export const listQuery = z.strictObject({
  limit: z.coerce.number({ error: 'must be a number from 1 to 100' }).int().min(1).max(100).default(25),
  cursor: z.string().max(500).optional(),
});

/** The answer of every list (SPEC §3). */
export const listOf = <T extends z.ZodType>(item: T) =>
  z.strictObject({ data: z.array(item), nextCursor: z.string().nullable() });
