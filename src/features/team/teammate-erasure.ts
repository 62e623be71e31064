import { withTeamLease } from '../../core/access/team-lease.js';
import { Teammates } from '../../core/access/teammate-model.js';
import { teamsOf } from '../../core/access/teammate-service.js';
import type { ErasedPerson } from '../../core/actors/actor.js';
import { recordAudit } from '../../core/audit/audit-service.js';

/** Removes an erased person from every team, and puts their pseudonym in their place as inviter. */
export async function eraseTeammate({ chatUserId, actor, requestedAt, pseudonym }: ErasedPerson): Promise<void> {
  for (const { guildId, role, invitedAt } of await teamsOf(chatUserId)) {
    if (invitedAt > requestedAt) continue;
    await withTeamLease(guildId, async () => {
      if ((await Teammates.remove({ guildId, chatUserId })) === null) return;
      const target = { kind: 'teammate', id: chatUserId, name: actor.name };
      const changes = { role: { from: role, to: null } };
      await recordAudit({ guildId, actor, action: 'teammate.removed', target, changes });
    });
  }
  await Teammates.acrossGuilds.updateMany({ invitedBy: chatUserId }, { $set: { invitedBy: pseudonym } });
}
