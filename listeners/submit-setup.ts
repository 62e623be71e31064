import { form } from '../src/edges/interactions/press.js';
import { submitSetup } from '../src/edges/interactions/setup/setup-actions.js';

/** A submitted /setup form: the group, an import text, or the panel's texts. */
export const SubmitSetup = form('setup', { as: 'admin' }, submitSetup);
