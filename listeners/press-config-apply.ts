import { applyReviewed } from '../src/edges/interactions/commands/command-config.js';
import { button } from '../src/edges/interactions/press.js';

export const PressConfigApply = button('config-apply', { as: 'admin' }, (press) =>
  applyReviewed(press, press.state[0] ?? '', 'as shown'),
);
