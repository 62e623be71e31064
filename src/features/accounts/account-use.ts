import { z } from 'zod';

/**
 * How a newly proved account is used beside the person's others. `here`: in this server only; without a server it is
 * kept for later. `main`: in every server without its own choice. `replace`: instead of the account in use.
 */
export const accountUse = z.enum(['here', 'main', 'replace']);
export type AccountUse = z.output<typeof accountUse>;
