import { button } from '../src/edges/interactions/press.js';
import { undoneReply } from '../src/edges/interactions/replies/reply-unlink.js';
import { undoUnlinks } from '../src/features/accounts/unlink-undo.js';
import { noSuchMember } from '../src/features/members/member-service.js';
import { snowflake } from '../src/lib/ids.js';

/** *Undo unlink*, under /why about a member that an admin has unlinked. */
export const PressUnlinkUndo = button(
  'unlink-undo',
  { as: 'admin' },
  async ({ guild, actor, state: [chatUserId = ''] }) => {
    if (!snowflake.safeParse(chatUserId).success) throw noSuchMember();
    const [result = 'not_unlinked'] = await undoUnlinks(guild, [chatUserId], actor);
    return undoneReply(chatUserId, result);
  },
);
