import { chooseGroup } from '../src/edges/interactions/commands/command-rank.js';
import { menu } from '../src/edges/interactions/press.js';

export const SelectRankGroup = menu('rank-group', { as: 'member' }, chooseGroup);
