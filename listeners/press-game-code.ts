import { offerGameCode } from '../src/edges/interactions/command-verify.js';
import { button } from '../src/edges/interactions/press.js';

/** "Get a game code" and "New code": what to type in a Roblox game of the server. */
export const PressGameCode = button('game-code', { as: 'member' }, ({ actor, state: [token = ''] }) =>
  offerGameCode(token, actor),
);
