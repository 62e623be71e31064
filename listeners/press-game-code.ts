import { offerGameCode } from '../src/edges/interactions/commands/command-verify.js';
import { button } from '../src/edges/interactions/press.js';

/** "Get a game code" and "New code": shows the code to type in a Roblox game the server has. */
export const PressGameCode = button('game-code', { as: 'member' }, ({ actor, state: [token = ''] }) =>
  offerGameCode(token, actor),
);
