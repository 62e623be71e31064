import { guildView, viewGuild } from '../../src/guilds/guild-view.js';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { countLinkedMembers } from '../../src/members/member-service.js';

const input = { params: guildParams };

export class ReadGuild extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId',
      summary: 'One guild, with the bot’s permissions and what will stop a sync',
      access: guildRole('viewer', { whileSuspended: true }),
      input,
      answers: { 200: guildView },
    });
  }

  override async handle({ guild, actor }: Request<typeof input>) {
    return ok(await viewGuild(guild, actor.role ?? 'viewer', await countLinkedMembers(guild._id)));
  }
}
