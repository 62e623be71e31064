import { confirmRank } from '../src/edges/interactions/commands/command-rank.js';
import { button } from '../src/edges/interactions/press.js';

export const PressRankChange = button('rank-change', { as: 'member' }, confirmRank);
