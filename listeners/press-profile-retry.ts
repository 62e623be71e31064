import { offerNewPhrase } from '../src/edges/interactions/commands/command-verify.js';
import { button } from '../src/edges/interactions/press.js';

/** "Try again" and "New words": shows new words for the same Roblox profile. */
export const PressProfileRetry = button('profile-retry', { as: 'member' }, ({ actor, state: [token = '', ...name] }) =>
  offerNewPhrase(token, name.join(':'), actor),
);
