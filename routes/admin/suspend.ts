import { z } from 'zod';
import { adminGuildView, viewAdminGuild } from '../../src/admin/admin-guild-view.js';
import { suspend, suspensionReason } from '../../src/admin/guild-suspension.js';
import { platformAdmin } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { countLinkedMembers } from '../../src/members/member-service.js';

const input = { params: guildParams, body: z.strictObject({ reason: suspensionReason }) };

export class SuspendGuild extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/admin/guilds/:guildId/suspend',
      summary: 'Suspend a guild: nothing is done in it until it is restored; its people are told the reason',
      access: platformAdmin,
      input,
      answers: { 200: adminGuildView },
    });
  }

  override async handle({ actor, params: { guildId }, body: { reason } }: Request<typeof input>) {
    return ok(viewAdminGuild(await suspend(guildId, reason, actor), await countLinkedMembers(guildId)));
  }
}
