import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { overviewView, readOverview } from '../../src/overview/guild-overview.js';

const input = { params: guildParams };

export class ReadOverview extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/overview',
      summary: 'How a guild is doing: members, verifications, syncs, and the last 30 days',
      access: guildRole('viewer'),
      input,
      answers: { 200: overviewView },
    });
  }

  override async handle({ guild }: Request<typeof input>) {
    return ok(await readOverview(guild._id));
  }
}
