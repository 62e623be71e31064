import { button } from '../src/edges/interactions/press.js';
import { updatedReply } from '../src/edges/interactions/replies/reply-sync.js';
import { linkAndSync } from '../src/features/sync/member/linked-sync.js';

/** "Update roles": the same as /update for oneself. */
export const PressUpdateRoles = button('update-roles', { as: 'member' }, async ({ guild, actor }) => {
  const sync = await linkAndSync(guild, actor.id, { trigger: 'command', actor });
  return updatedReply({ guild, actor }, actor.id, sync);
});
