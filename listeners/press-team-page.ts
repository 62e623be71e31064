import { button } from '../src/edges/interactions/press.js';
import { teamPage } from '../src/edges/interactions/reply-team.js';

/** The next page of /team list. */
export const PressTeamPage = button('team', { as: 'admin' }, ({ guild, state: [cursor] }) => teamPage(guild, cursor));
