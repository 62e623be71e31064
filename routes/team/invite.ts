import { z } from 'zod';
import { grantableRole } from '../../src/core/actors/team-roles.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { tellInvitee } from '../../src/features/team/invitation-message.js';
import { inviteTeammate } from '../../src/features/team/team-changes.js';
import { invitationView, viewTeammate } from '../../src/features/team/teammate-view.js';
import { created } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';
import { snowflake } from '../../src/lib/ids.js';

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
