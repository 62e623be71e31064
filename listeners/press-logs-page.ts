import { button } from '../src/edges/interactions/press.js';
import { logsPage } from '../src/edges/interactions/replies/reply-logs.js';

/** The next page of /logs, with the same filters. */
export const PressLogsPage = button('logs', { as: 'viewer' }, ({ guild, actor, state: [action, memberId, cursor] }) =>
  logsPage({ guild, actor }, { action: action || null, memberId: memberId || null }, cursor),
);
