import { menu } from '../src/edges/interactions/press.js';
import { chooseInSetup } from '../src/edges/interactions/setup/setup-actions.js';

export const SelectSetup = menu('setup', { as: 'admin' }, chooseInSetup);
