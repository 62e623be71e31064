import { z } from 'zod';
import { grantableRole } from '../../src/core/actors/team-roles.js';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { changeTeammate } from '../../src/features/team/team-changes.js';
import { teammateView, viewTeammate } from '../../src/features/team/teammate-view.js';
import { ok } from '../../src/lib/answer.js';
import { memberParams } from '../../src/lib/fields.js';

const input = { params: memberParams, body: z.strictObject({ role: grantableRole }) };

export class ChangeTeammate extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'PATCH /api/guilds/:guildId/team/:memberId',
      summary: 'Give a teammate another role; their bot tokens above it are revoked. To and from admin takes the owner',
      access: guildRole('admin'),
      input,
      answers: { 200: teammateView },
    });
  }

  override async handle({ guild, actor, params, body }: Request<typeof input>) {
    return ok(viewTeammate(await changeTeammate(guild, actor, params.memberId, body.role)));
  }
}
