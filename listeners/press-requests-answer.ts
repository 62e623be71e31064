import { confirmAnswer } from '../src/edges/interactions/commands/command-requests.js';
import { button } from '../src/edges/interactions/press.js';

export const PressRequestsAnswer = button('requests-answer', { as: 'member' }, confirmAnswer);
