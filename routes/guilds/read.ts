import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { countLinkedMembers } from '../../src/features/members/member-service.js';
import { guildHealth } from '../../src/features/overview/guild-health.js';
import { guildView, viewGuild } from '../../src/features/overview/guild-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

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
    const [linkedMembers, health] = await Promise.all([countLinkedMembers(guild._id), guildHealth(guild)]);
    return ok(viewGuild(guild, actor.role ?? 'viewer', { linkedMembers, health }));
  }
}
