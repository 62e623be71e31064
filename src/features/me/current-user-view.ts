import { z } from 'zod';
import type { Actor } from '../../core/actors/actor.js';
import { grantableRole, teamRole } from '../../core/actors/team-roles.js';
import { timestamp } from '../../lib/fields.js';
import type { Account } from '../accounts/account-service.js';
import { accountView, viewAccount } from '../accounts/account-view.js';

/** GET /api/auth/me for a person (API-57). */
export const currentPersonView = z
  .strictObject({
    kind: z.literal('user'),
    chatUserId: z.string(),
    username: z.string(),
    avatarUrl: z.string().nullable(),
    platformAdmin: z.boolean(),
    account: accountView.nullable(),
    invitations: z.array(
      z.strictObject({
        guildId: z.string(),
        guildName: z.string(),
        role: grantableRole,
        invitedBy: z.string(),
        invitedAt: timestamp,
      }),
    ),
  })
  .meta({ id: 'CurrentPerson' });

/** GET /api/auth/me for a bot token; `guildId` is `*` for the platform's own. */
export const currentTokenView = z
  .strictObject({ kind: z.literal('bot_token'), tokenId: z.string(), guildId: z.string(), role: teamRole })
  .meta({ id: 'CurrentToken' });

export interface CurrentPerson {
  account: Account | null;
  invitations: z.input<typeof currentPersonView>['invitations'];
}

export function viewCurrentPerson(
  { id: chatUserId, name: username, avatarUrl = null, platformAdmin }: Actor,
  { account, invitations }: CurrentPerson,
): z.input<typeof currentPersonView> {
  return {
    kind: 'user',
    chatUserId,
    username,
    avatarUrl,
    platformAdmin,
    account: account === null ? null : viewAccount(account),
    invitations,
  };
}

/** A bot token, in the words of GET /api/auth/me. */
export function viewCurrentToken({ id: tokenId, tokenGuildId, role }: Actor): z.input<typeof currentTokenView> {
  return { kind: 'bot_token', tokenId, guildId: tokenGuildId ?? '', role: role ?? 'viewer' };
}
