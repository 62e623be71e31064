import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { unlinkMember } from '../../src/features/members/member-service.js';
import { noContent } from '../../src/lib/answer.js';
import { memberParams } from '../../src/lib/fields.js';

const input = { params: memberParams };

export class UnlinkMember extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'DELETE /api/guilds/:guildId/members/:memberId/link',
      summary: 'Unlink a member in this guild; only a new proof made here links them again',
      access: guildRole('admin'),
      input,
      answers: { 204: null },
    });
  }

  override async handle({ guild, actor, params }: Request<typeof input>) {
    await unlinkMember(guild, params.memberId, actor);
    return noContent();
  }
}
