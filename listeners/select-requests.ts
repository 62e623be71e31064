import { chooseRequests } from '../src/edges/interactions/commands/command-requests.js';
import { menu } from '../src/edges/interactions/press.js';

export const SelectRequests = menu('requests-choose', { as: 'member' }, chooseRequests);
