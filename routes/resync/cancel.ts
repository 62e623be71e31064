import { z } from 'zod';
import { guildRole } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { cancelResync } from '../../src/sync/resync-service.js';
import { resyncView, viewResync } from '../../src/sync/resync-view.js';

const input = { params: guildParams.extend({ jobId: z.string() }) };

export class CancelResync extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'DELETE /api/guilds/:guildId/resync/:jobId',
      summary: 'Cancel a resync; what is done stays done',
      access: guildRole('manager'),
      input,
      answers: { 200: resyncView },
    });
  }

  override async handle({ guild, actor, params }: Request<typeof input>) {
    return ok(viewResync(await cancelResync(guild, actor, params.jobId)));
  }
}
