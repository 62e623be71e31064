import { z } from 'zod';
import { teamsOf } from '../../core/access/teammate-service.js';
import type { Actor } from '../../core/actors/actor.js';
import { grantableRole, teamRole } from '../../core/actors/team-roles.js';
import { findGuilds } from '../../core/guilds/guild-service.js';
import { timestamp } from '../../lib/fields.js';
import { findAccount } from '../members/account-service.js';
import { accountView, viewAccount } from '../members/account-view.js';

/** GET /api/auth/me for a person (SPEC §4). */
export const currentPersonView = z
  .strictObject({
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
  .strictObject({ tokenId: z.string(), guildId: z.string(), role: teamRole })
  .meta({ id: 'CurrentToken' });

/** Who the caller is, in the words of GET /api/auth/me. */
export async function viewCurrentUser(
  actor: Actor,
): Promise<z.input<typeof currentPersonView | typeof currentTokenView>> {
  if (actor.kind === 'bot_token') {
    return { tokenId: actor.id, guildId: actor.tokenGuildId ?? '', role: actor.role ?? 'viewer' };
  }
  const [account, invitations] = await Promise.all([findAccount(actor.id), invitationsOf(actor.id)]);
  return {
    chatUserId: actor.id,
    username: actor.name,
    avatarUrl: actor.avatarUrl ?? null,
    platformAdmin: actor.platformAdmin,
    account: account === null ? null : viewAccount(account),
    invitations,
  };
}

/** The teams that wait for the person's first visit, in guilds that the bot is still in. */
async function invitationsOf(chatUserId: string): Promise<z.input<typeof currentPersonView>['invitations']> {
  const invited = (await teamsOf(chatUserId)).filter(({ state }) => state === 'invited');
  const guilds = await findGuilds(
    invited.map(({ guildId }) => guildId),
    null,
  );
  const nameOf = new Map(guilds.map(({ _id, name }) => [_id, name]));
  return invited.flatMap(({ guildId, role, invitedBy, invitedAt }) => {
    const guildName = nameOf.get(guildId);
    return guildName === undefined ? [] : [{ guildId, guildName, role, invitedBy, invitedAt: invitedAt.toISOString() }];
  });
}
