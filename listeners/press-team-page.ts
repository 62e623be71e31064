import { button } from '../src/edges/interactions/press.js';
import { teamPage } from '../src/edges/interactions/replies/reply-team.js';

export const PressTeamPage = button('team', { as: 'admin' }, ({ guild, state: [cursor] }) => teamPage(guild, cursor));
