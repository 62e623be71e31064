import { button } from '../src/edges/interactions/press.js';
import { whyReply } from '../src/edges/interactions/replies/reply-why.js';

export const PressOwnWhyPage = button('why-own', { as: 'member' }, async ({ guild, actor, state: [place] }) =>
  whyReply({ guild, actor }, actor.id, Number(place)),
);
