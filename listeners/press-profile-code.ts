import { button } from '../src/edges/interactions/press.js';
import { askUsername } from '../src/edges/interactions/replies/reply-verification.js';

/** "Use a profile code" and "Another username": asks for the Roblox username. */
export const PressProfileCode = button('profile-code', { as: 'member', opensForm: true }, async ({ state: [token] }) =>
  askUsername(token),
);
