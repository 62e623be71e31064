import { applyReviewed } from '../src/edges/interactions/commands/command-config.js';
import { button } from '../src/edges/interactions/press.js';

/** *Observe first*, under a configuration's review where another bot may give roles. */
export const PressConfigObserve = button('config-observe', { as: 'admin' }, (press) =>
  applyReviewed(press, press.state[0] ?? '', 'observing'),
);
