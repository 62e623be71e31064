import { beginResync } from '../src/edges/interactions/commands/command-resync.js';
import { button } from '../src/edges/interactions/press.js';

export const PressChangeResync = button('change-resync', { as: 'manager' }, beginResync);
