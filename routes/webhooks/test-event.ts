import { z } from 'zod';
import { guildRole } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { sendTestEvent, testEventView, testEventWish } from '../../src/features/webhooks/test-event.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

const input = { params: guildParams.extend({ webhookId: z.string() }), body: testEventWish };

export class TestWebhook extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/guilds/:guildId/webhooks/:webhookId/test',
      summary: 'Send a test event to a webhook endpoint and tell how it was received',
      access: guildRole('admin'),
      input,
      answers: { 200: testEventView },
    });
  }

  override async handle({ guild, actor, params, body }: Request<typeof input>) {
    return ok(await sendTestEvent(guild, actor, params.webhookId, body));
  }
}
