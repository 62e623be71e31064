import { button } from '../src/edges/interactions/press.js';
import { whyReply } from '../src/edges/interactions/replies/reply-why.js';
import { noSuchMember } from '../src/features/members/member-service.js';
import { snowflake } from '../src/lib/ids.js';

/** The next page in /why about another member. */
export const PressWhyPage = button(
  'why',
  { as: 'viewer' },
  async ({ guild, actor, state: [place, chatUserId = ''] }) => {
    if (!snowflake.safeParse(chatUserId).success) throw noSuchMember();
    return whyReply({ guild, actor }, chatUserId, Number(place));
  },
);
