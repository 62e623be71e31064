import { z } from 'zod';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { readResync } from '../../src/sync/resync-service.js';
import { resyncView, viewResync } from '../../src/sync/resync-view.js';

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
