import { button } from '../src/edges/interactions/press.js';
import { pressSetup } from '../src/edges/interactions/setup-deeds.js';

/** *Set up* under the message of the bot's coming, and the buttons of /setup that open no form. */
export const PressSetup = button('setup', { as: 'admin' }, pressSetup);
