import { button } from '../src/edges/interactions/press.js';
import { openSetupForm } from '../src/edges/interactions/setup-actions.js';

/** The buttons of /setup that open a form. */
export const PressSetupForm = button('setup-form', { as: 'admin', opensForm: true }, openSetupForm);
