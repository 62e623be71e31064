import { form } from '../src/edges/interactions/press.js';
import { submitSetup } from '../src/edges/interactions/setup-deeds.js';

/** A form of /setup: the group, the text of another bot, or the words of the panel. */
export const SubmitSetup = form('setup', { as: 'admin' }, submitSetup);
