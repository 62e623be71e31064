import { listAgain } from '../src/edges/interactions/commands/command-requests.js';
import { button } from '../src/edges/interactions/press.js';

export const PressRequestsList = button('requests-list', { as: 'member' }, listAgain);
