import { button } from '../src/edges/interactions/press.js';
import { leftOutReply } from '../src/edges/interactions/replies/reply-left-out.js';
import { leaveOut } from '../src/features/members/left-out.js';
import { noSuchMember } from '../src/features/members/member-service.js';
import { snowflake } from '../src/lib/ids.js';

/** *Leave out* and *Include again*, under /why about a member. */
export const PressLeftOut = button('left-out', { as: 'admin' }, async ({ guild, actor, state }) => {
  const [chatUserId = '', wish] = state;
  if (!snowflake.safeParse(chatUserId).success) throw noSuchMember();
  const leftOut = wish === 'leave';
  const [result] = await leaveOut(guild, { memberIds: [chatUserId], leftOut }, actor);
  return leftOutReply(chatUserId, leftOut, result);
});
