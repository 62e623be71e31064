import { z } from 'zod';
import { adminGuildView, viewAdminGuild } from '../../src/admin/admin-guild-view.js';
import { suspensionReason, unsuspend } from '../../src/admin/guild-suspension.js';
import { platformAdmin } from '../../src/http/access.js';
import { ok } from '../../src/http/answer.js';
import { guildParams } from '../../src/http/fields.js';
import { type Request, Route } from '../../src/http/route.js';
import { countLinkedMembers } from '../../src/members/member-service.js';

const input = { params: guildParams, body: z.strictObject({ reason: suspensionReason.nullable().default(null) }) };

export class UnsuspendGuild extends Route<typeof input> {
  constructor(context: Route.LoaderContext) {
    super(context, {
      endpoint: 'POST /api/admin/guilds/:guildId/unsuspend',
      summary: 'Restore a suspended guild; its members are then brought in step with what it missed',
      access: platformAdmin,
      input,
      answers: { 200: adminGuildView },
    });
  }

  override async handle({ actor, params: { guildId }, body: { reason } }: Request<typeof input>) {
    return ok(viewAdminGuild(await unsuspend(guildId, reason, actor), await countLinkedMembers(guildId)));
  }
}
