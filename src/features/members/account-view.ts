import { z } from 'zod';
import { proofMethod } from '../../core/settings/guild-settings.js';
import type { Account } from './account-service.js';

/** The fact that a chat user owns a game account, in the API's words (ID-4). */
export const accountView = z
  .strictObject({
    chatUserId: z.string(),
    gameUserId: z.string(),
    gameUsername: z.string(),
    gameDisplayName: z.string(),
    method: proofMethod,
    linkedAt: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'Account' });

export function viewAccount(account: Account): z.input<typeof accountView> {
  const { _id: chatUserId, gameUserId, gameUsername, gameDisplayName, method, linkedAt } = account;
  return { chatUserId, gameUserId, gameUsername, gameDisplayName, method, linkedAt: linkedAt.toISOString() };
}
