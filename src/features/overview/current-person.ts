import { teamsOf } from '../../core/access/teammate-service.js';
import { findGuilds } from '../../core/guilds/guild-service.js';
import { findAccount } from '../members/account-service.js';
import type { CurrentPerson } from './current-user-view.js';

/** What a person is told of themselves: their account, and the teams that wait for their first visit. */
export async function readCurrentPerson(chatUserId: string): Promise<CurrentPerson> {
  const [account, invitations] = await Promise.all([findAccount(chatUserId), invitationsOf(chatUserId)]);
  return { account, invitations };
}

/** Only in guilds that the bot is still in. */
async function invitationsOf(chatUserId: string): Promise<CurrentPerson['invitations']> {
  const invited = (await teamsOf(chatUserId)).filter(({ state }) => state === 'invited');
  if (invited.length === 0) return [];
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
