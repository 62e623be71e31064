import { z } from 'zod';

/** One thing that will stop a sync, in a sentence that says what to do about it. */
export const healthIssue = z
  .strictObject({ code: z.string(), detail: z.string(), roleId: z.string().exactOptional() })
  .meta({ id: 'HealthIssue' });
export type HealthIssue = z.output<typeof healthIssue>;
