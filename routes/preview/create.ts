import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { previewSync } from '../../src/features/sync/preview/preview-service.js';
import { previewRequest, previewView, viewPreview } from '../../src/features/sync/preview/preview-view.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams, body: previewRequest };

export class PreviewSync extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/sync/preview',
      summary: 'See what a resync would do, or would do by draft mappings and settings, without doing it',
      access: guildRole('viewer'),
      input,
      answers: { 200: previewView },
    });
  }

  override async handle({ guild, body }: Request<typeof input>) {
    const { cursor, ...wish } = body;
    return ok(viewPreview(await previewSync(guild, wish, cursor)));
  }
}
