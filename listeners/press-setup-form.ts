import { button } from '../src/edges/interactions/press.js';
import { openSetupForm } from '../src/edges/interactions/setup/setup-actions.js';

export const PressSetupForm = button('setup-form', { as: 'admin', opensForm: true }, openSetupForm);
