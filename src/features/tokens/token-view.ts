import { z } from 'zod';
import { shownFields } from '../../lib/shown-fields.js';
import { botTokenFields } from './token-model.js';

const shown = shownFields(botTokenFields.omit({ guildId: true, revokedAt: true }), 'tokenId');

/** A bot token in answers (AUTH-29), without the token itself. `lastUsedAt` is exact to the minute. */
export const tokenView = shown.view.meta({ id: 'Token' });
export const viewToken = shown.show;

export const ownTokens = shownFields(botTokenFields.omit({ createdBy: true }), 'tokenId');

/** A new token with its text, shown once. */
export const newTokenView = tokenView
  .extend({ token: z.string().describe('Shown this once. Send it as `Authorization: Bot <token>`.') })
  .meta({ id: 'NewToken' });
