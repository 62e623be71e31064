import { button } from '../src/edges/interactions/press.js';
import { updatedReply } from '../src/edges/interactions/reply-sync.js';
import { linkAtOnce } from '../src/features/accounts/missing-links.js';
import { syncMember } from '../src/features/sync/member/member-sync.js';

/** "Update roles": the same as /update for oneself. */
export const PressUpdateRoles = button('update-roles', { as: 'member' }, async ({ guild, actor }) => {
  await linkAtOnce(guild._id, actor.id);
  const sync = await syncMember(guild, actor.id, { trigger: 'command', actor });
  return updatedReply({ guild, actor }, actor.id, sync);
});
