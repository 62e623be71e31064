import { button } from '../src/edges/interactions/press.js';
import { logsPage } from '../src/edges/interactions/replies/reply-logs.js';

/** /logs' next page, with the same filters. */
export const PressLogsPage = button('logs', { as: 'viewer' }, ({ guild, actor, state: [action, memberId, cursor] }) =>
  logsPage({ guild, actor }, { action: action || null, memberId: memberId || null }, cursor),
);
