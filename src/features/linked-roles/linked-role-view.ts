import { z } from 'zod';
import { timestamp } from '../../lib/fields.js';
import type { LinkedRole } from './linked-role-model.js';

/** GET /api/auth/me/linked-roles (LINK-16). */
export const linkedRoleView = z
  .strictObject({
    available: z.boolean().describe('Whether people can connect themselves here, at `/linked-roles`.'),
    connectedAt: timestamp.nullable().describe('Null: not connected.'),
    writtenAt: timestamp.nullable().describe('The last change of the facts at Discord; null: it has none.'),
    gameUsername: z.string().nullable().describe('The name that Discord shows on the profile.'),
    facts: z
      .array(z.strictObject({ key: z.string(), value: z.string() }))
      .describe('The facts sent to Discord: `1` for yes, and numbers.'),
  })
  .meta({ id: 'LinkedRoles' });

/** A person's view of their own connection; null: they have none. */
export const viewLinkedRole = (stored: LinkedRole | null, available: boolean): z.input<typeof linkedRoleView> =>
  Object.assign({ available }, viewOwnLinkedRole(stored));

/** The connection as it is stored, for the export. */
export function viewOwnLinkedRole(stored: LinkedRole | null): Omit<z.input<typeof linkedRoleView>, 'available'> {
  const { connectedAt, written } = stored ?? {};
  return {
    connectedAt: connectedAt?.toISOString() ?? null,
    writtenAt: written?.at.toISOString() ?? null,
    gameUsername: written?.gameUsername ?? null,
    facts: (written?.facts ?? []).map(({ key, value }) => ({ key, value })),
  };
}
