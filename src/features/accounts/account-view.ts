import { z } from 'zod';
import { accountMethod, importSource } from './account-model.js';
import type { Account } from './account-service.js';

/** How the API shows that a chat user owns a game account (ID-4). */
export const accountView = z
  .strictObject({
    chatUserId: z.string(),
    gameUserId: z.string(),
    gameUsername: z.string(),
    gameDisplayName: z.string(),
    method: accountMethod,
    importedFrom: importSource.nullable().describe('Where a guild has imported it from; null: the person proved it.'),
    linkedAt: z.iso.datetime({ precision: 3 }),
  })
  .meta({ id: 'Account' });

export function viewAccount(account: Account): z.input<typeof accountView> {
  const { _id: chatUserId, gameUserId, gameUsername, gameDisplayName, method, linkedAt } = account;
  const { importedFrom = null } = account;
  return {
    chatUserId,
    gameUserId,
    gameUsername,
    gameDisplayName,
    method,
    importedFrom,
    linkedAt: linkedAt.toISOString(),
  };
}
