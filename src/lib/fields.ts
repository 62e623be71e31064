import { z } from 'zod';

/** Moments in answers: ISO 8601 UTC with milliseconds (SPEC §1). */
export const timestamp = z.iso.datetime({ precision: 3 });
