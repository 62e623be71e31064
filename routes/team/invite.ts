import { z } from 'zod';
import { grantableRole } from '../../src/auth/team-roles.js';
import { guildRole } from '../../src/http/access.js';
import { created } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { snowflake } from '../../src/lib/ids.js';
import { tellInvitee } from '../../src/team/invitation-message.js';
import { inviteTeammate } from '../../src/team/team-changes.js';
import { invitationView, viewTeammate } from '../../src/team/teammate-view.js';

const input = { params: guildParams, body: z.strictObject({ chatUserId: snowflake, role: grantableRole }) };

export class InviteTeammate extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/team/invite',
      summary: 'Invite somebody into the team; inviting an admin takes the owner',
      access: guildRole('admin'),
      input,
      answers: { 201: invitationView },
      rateLimit: 'invitation',
    });
  }

  override async handle({ guild, actor, body }: Request<typeof input>) {
    const teammate = await inviteTeammate(guild, actor, body);
    return created({ ...viewTeammate(teammate), notified: await tellInvitee(guild, actor, body) });
  }
}
