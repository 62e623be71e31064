import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { cancelResync } from '../../src/features/sync/resync/resync-service.js';
import { resyncView, viewResync } from '../../src/features/sync/resync/resync-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

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
