import { chooseRank } from '../src/edges/interactions/commands/command-rank.js';
import { menu } from '../src/edges/interactions/press.js';

export const SelectRank = menu('rank-choose', { as: 'member' }, chooseRank);
