import { button } from '../src/edges/interactions/press.js';
import { pressSetup } from '../src/edges/interactions/setup/setup-actions.js';

/** *Set up* in the welcome message, and the /setup buttons that open no form. */
export const PressSetup = button('setup', { as: 'admin' }, pressSetup);
