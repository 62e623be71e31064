import { goLiveWith } from '../src/edges/interactions/move-actions.js';
import { button } from '../src/edges/interactions/press.js';

/** *Go live*, under an observing server's preview. */
export const PressGoLive = button('go-live', { as: 'admin' }, goLiveWith);
