import { z } from 'zod';
import { findAccount } from '../members/account-service.js';
import { accountView, viewAccount } from '../members/account-view.js';
import { teamsOf } from '../team/teammate-service.js';
import type { Actor } from './actor.js';
import { teamRole } from './team-roles.js';

/** GET /api/auth/me for a person (SPEC §4). */
export const currentPersonView = z
  .strictObject({
    chatUserId: z.string(),
    username: z.string(),
    avatarUrl: z.string().nullable(),
    platformAdmin: z.boolean(),
    account: accountView.nullable(),
    invitations: z.array(z.strictObject({ guildId: z.string(), role: teamRole, invitedBy: z.string() })),
  })
  .meta({ id: 'CurrentPerson' });

/** GET /api/auth/me for a bot token; `guildId` is `*` for the platform's own. */
export const currentTokenView = z
  .strictObject({ tokenId: z.string(), guildId: z.string(), role: teamRole })
  .meta({ id: 'CurrentToken' });

/** Who the caller is, in the words of GET /api/auth/me. */
export async function viewCurrentUser(
  actor: Actor,
): Promise<z.input<typeof currentPersonView | typeof currentTokenView>> {
  if (actor.kind === 'bot_token') {
    return { tokenId: actor.id, guildId: actor.tokenGuildId ?? '', role: actor.role ?? 'viewer' };
  }
  const [account, teams] = await Promise.all([findAccount(actor.id), teamsOf(actor.id)]);
  return {
    chatUserId: actor.id,
    username: actor.name,
    avatarUrl: actor.avatarUrl ?? null,
    platformAdmin: actor.platformAdmin,
    account: account === null ? null : viewAccount(account),
    invitations: teams
      .filter(({ state }) => state === 'invited')
      .map(({ guildId, role, invitedBy }) => ({ guildId, role, invitedBy })),
  };
}
