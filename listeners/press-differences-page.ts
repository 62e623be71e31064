import { button } from '../src/edges/interactions/press.js';
import { differencesPage } from '../src/edges/interactions/reply-differences.js';

/** The next page of /differences, with the same role. */
export const PressDifferencesPage = button('differences', { as: 'viewer' }, ({ guild, state: [roleId, cursor] }) =>
  differencesPage(guild, roleId || null, cursor),
);
