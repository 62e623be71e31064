import { withTeamLease } from '../../core/access/team-lease.js';
import { Teammates } from '../../core/access/teammate-model.js';
import { findTeammate, teamsOf } from '../../core/access/teammate-service.js';
import type { ErasedPerson } from '../../core/actors/actor.js';
import { enterLog, newEntry } from '../../core/audit/audit-service.js';

/** Removes an erased person from every team, and puts their pseudonym in their place as inviter. */
export async function eraseTeammate({ chatUserId, actor, requestedAt, pseudonym }: ErasedPerson): Promise<void> {
  for (const { guildId } of await teamsOf(chatUserId)) {
    await withTeamLease(guildId, async () => {
      const teammate = await findTeammate(guildId, chatUserId);
      // An invitation from after the request stays.
      if (teammate === null || teammate.invitedAt > requestedAt) return;
      const target = { kind: 'teammate', id: chatUserId, name: actor.name };
      const changes = { role: { from: teammate.role, to: null } };
      const entry = newEntry({ guildId, actor, action: 'teammate.removed', target, changes });
      if ((await Teammates.remove({ guildId, chatUserId }, entry)) !== null) await enterLog(entry);
    });
  }
  await Teammates.acrossGuilds.updateMany({ invitedBy: chatUserId }, { $set: { invitedBy: pseudonym } });
}
