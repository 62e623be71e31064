import { z } from 'zod';
import { platformAdmin } from '../../src/edges/http/access.js';
import { type Request, Route } from '../../src/edges/http/route.js';
import { adminGuildView, viewAdminGuild } from '../../src/features/admin/admin-guild-view.js';
import { suspend, suspensionReason } from '../../src/features/admin/guild-suspension.js';
import { countLinkedMembers } from '../../src/features/members/member-service.js';
import { ok } from '../../src/lib/answer.js';
import { guildParams } from '../../src/lib/fields.js';

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
