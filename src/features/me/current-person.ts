import { type InvitationInGuild, withInvitations } from '../../core/access/teammate-service.js';
import { findAccountWith } from '../accounts/account-service.js';
import type { CurrentPerson } from './current-user-view.js';

/** How a person sees themselves: their account, and the teams that wait for their first visit. */
export async function readCurrentPerson(chatUserId: string): Promise<CurrentPerson> {
  const { account, rows } = await findAccountWith<InvitationInGuild>(chatUserId, withInvitations(chatUserId));
  return { account, invitations: rows.flatMap(viewInvitation) };
}

/** An invitation's view; none for a guild that the bot is no longer in. */
function viewInvitation({ guilds, role, invitedBy, invitedAt }: InvitationInGuild): CurrentPerson['invitations'] {
  const present = guilds.filter((guild) => guild.present);
  return present.map(({ _id: guildId, name: guildName }) => ({
    guildId,
    guildName,
    role,
    invitedBy,
    invitedAt: invitedAt.toISOString(),
  }));
}
