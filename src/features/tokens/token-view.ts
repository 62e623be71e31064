import { z } from 'zod';
import { teamRole } from '../../core/actors/team-roles.js';
import { timestamp } from '../../lib/fields.js';
import type { BotToken } from './token-model.js';

/** A bot token in answers (SPEC §4), without the token itself. `lastUsedAt` is exact to the minute. */
export const tokenView = z
  .strictObject({
    tokenId: z.string(),
    name: z.string(),
    role: teamRole,
    createdBy: z.string().describe('The id of the person or token that made it, or `command line`.'),
    createdAt: timestamp,
    expiresAt: timestamp.describe('Afterwards it is refused, and listed for 30 days more.'),
    lastUsedAt: timestamp.nullable(),
  })
  .meta({ id: 'Token' });

/** A new token with its text, shown once. */
export const newTokenView = tokenView
  .extend({ token: z.string().describe('Shown this once. Send it as `Authorization: Bot <token>`.') })
  .meta({ id: 'NewToken' });

export function viewToken(token: BotToken): z.input<typeof tokenView> {
  const { _id: tokenId, name, role, createdBy, createdAt, expiresAt, lastUsedAt } = token;
  return {
    tokenId,
    name,
    role,
    createdBy,
    createdAt: createdAt.toISOString(),
    expiresAt: expiresAt.toISOString(),
    lastUsedAt: lastUsedAt?.toISOString() ?? null,
  };
}
