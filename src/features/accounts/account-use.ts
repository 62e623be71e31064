import { z } from 'zod';

/**
 * The use of a newly proved account beside others of the person. `here`: in this server only; without a server it is
 * kept for later. `main`: in every server without a choice of its own. `replace`: in place of the account in use.
 */
export const accountUse = z.enum(['here', 'main', 'replace']);
export type AccountUse = z.output<typeof accountUse>;
