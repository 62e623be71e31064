import { button } from '../src/edges/interactions/press.js';
import { whyReply } from '../src/edges/interactions/reply-why.js';

/** The next page of /why about another member. */
export const PressWhyPage = button('why', { as: 'viewer' }, async ({ guild, actor, state: [place, chatUserId = ''] }) =>
  whyReply({ guild, actor }, chatUserId, Number(place)),
);
