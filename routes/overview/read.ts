import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { overviewView, readOverview } from '../../src/features/overview/guild-overview.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

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
