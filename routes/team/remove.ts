import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { removeTeammate } from '../../src/features/team/team-changes.js';
import { noContent } from '../../src/lib/answer.js';
import { memberParams } from '../../src/lib/fields.js';

const input = { params: memberParams };

export class RemoveTeammate extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'DELETE /api/guilds/:guildId/team/:memberId',
      summary:
        'Remove a teammate and their bot tokens: others takes admin, an admin the owner; yourself you always may',
      access: guildRole('viewer'),
      input,
      answers: { 204: null },
    });
  }

  override async handle({ guild, actor, params }: Request<typeof input>) {
    await removeTeammate(guild, actor, params.memberId);
    return noContent();
  }
}
