import { button } from '../src/edges/interactions/press.js';
import { differencesPage } from '../src/edges/interactions/replies/reply-differences.js';

export const PressDifferencesPage = button('differences', { as: 'viewer' }, ({ guild, state: [roleId, cursor] }) =>
  differencesPage(guild, roleId || null, cursor),
);
