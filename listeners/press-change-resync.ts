import { beginResync } from '../src/edges/interactions/command-resync.js';
import { button } from '../src/edges/interactions/press.js';

/** *Resync now*, under a change. */
export const PressChangeResync = button('change-resync', { as: 'manager' }, beginResync);
