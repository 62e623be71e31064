import { z } from 'zod';
import { grantableRole } from '../../src/core/actors/team-roles.js';
import { guildRole } from '../../src/edges/http/access.js';
import { created } from '../../src/edges/http/answer.js';
import { defineRoute } from '../../src/edges/http/route.js';
import { notifyInvitee } from '../../src/features/team/invitation-message.js';
import { inviteTeammate } from '../../src/features/team/team-changes.js';
import { invitationView, viewTeammate } from '../../src/features/team/teammate-view.js';
import { snowflake } from '../../src/lib/ids.js';

export const InviteTeammate = defineRoute({
  endpoint: 'POST /api/guilds/:guildId/team/invite',
  summary: 'Invite someone to the team; only the owner can invite an admin',
  access: guildRole('admin'),
  input: { body: z.strictObject({ chatUserId: snowflake, role: grantableRole }) },
  repeatable: true,
  answers: { 201: invitationView },
  refusals: ['discord_owner', 'teammate_exists', 'busy'],
  rateLimit: 'invitation',
  handle: async ({ guild, actor, body }) => {
    const teammate = await inviteTeammate(guild, actor, body);
    const view = { ...viewTeammate(teammate), notified: await notifyInvitee(guild, actor, body) };
    return created(view, `/api/guilds/${guild._id}/team/${teammate.chatUserId}`);
  },
});
