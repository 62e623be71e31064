import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { readResync } from '../../src/features/sync/resync/resync-service.js';
import { resyncView, viewResync } from '../../src/features/sync/resync/resync-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams.extend({ jobId: z.string() }) };

export class ReadResync extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'GET /api/guilds/:guildId/resync/:jobId',
      summary: 'How far a resync has come',
      access: guildRole('viewer'),
      input,
      answers: { 200: resyncView },
    });
  }

  override async handle({ guild, params }: Request<typeof input>) {
    return ok(viewResync(await readResync(guild, params.jobId)));
  }
}
