import { applyReviewed } from '../src/edges/interactions/commands/command-config.js';
import { button } from '../src/edges/interactions/press.js';

/** *Observe first*, under the review of a configuration where another bot may give roles. */
export const PressConfigObserve = button('config-observe', { as: 'admin' }, (press) =>
  applyReviewed(press, press.state[0] ?? '', 'observing'),
);
