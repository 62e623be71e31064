import { menu } from '../src/edges/interactions/press.js';
import { chooseInSetup } from '../src/edges/interactions/setup-actions.js';

/** A choice in a menu of /setup. */
export const SelectSetup = menu('setup', { as: 'admin' }, chooseInSetup);
