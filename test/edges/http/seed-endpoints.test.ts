import { expect } from 'chai';
import { allRoutes } from './http-setup.js';

/** The order's table, word for word. */
const ofTheOrder = [
  'GET /api/auth/me',
  'POST /api/auth/logout',
  'GET /api/guilds',
  'GET /api/guilds/:guildId',
  'GET /api/guilds/:guildId/overview',
  'GET /api/guilds/:guildId/settings',
  'PUT /api/guilds/:guildId/settings',
  'POST /api/verification/session',
  'GET /api/verification/session/:token',
  'POST /api/verification/complete',
  'POST /api/verification/retry',
  'DELETE /api/verification/unlink',
  'GET /api/guilds/:guildId/members',
  'GET /api/guilds/:guildId/members/:memberId',
  'POST /api/guilds/:guildId/members/:memberId/resync',
  'DELETE /api/guilds/:guildId/members/:memberId/link',
  'GET /api/guilds/:guildId/groups',
  'POST /api/guilds/:guildId/groups',
  'DELETE /api/guilds/:guildId/groups/:groupId',
  'GET /api/guilds/:guildId/mappings',
  'POST /api/guilds/:guildId/mappings',
  'PUT /api/guilds/:guildId/mappings/:mappingId',
  'DELETE /api/guilds/:guildId/mappings/:mappingId',
  'GET /api/guilds/:guildId/logs',
  'GET /api/guilds/:guildId/logs/export',
  'POST /api/guilds/:guildId/resync',
  'POST /api/guilds/:guildId/sync/preview',
  'GET /api/guilds/:guildId/team',
  'POST /api/guilds/:guildId/team/invite',
  'PATCH /api/guilds/:guildId/team/:memberId',
  'DELETE /api/guilds/:guildId/team/:memberId',
  'GET /api/guilds/:guildId/billing',
  'POST /api/guilds/:guildId/billing/checkout',
  'POST /api/billing/webhook',
  'GET /api/admin/metrics',
  'GET /api/admin/guilds',
  'POST /api/admin/guilds/:guildId/suspend',
  'POST /api/admin/guilds/:guildId/unsuspend',
];

// API-78
describe('The endpoints of the order', () => {
  it('The service has every endpoint of the order, under its method and path', () => {
    const served = new Set(allRoutes().map(({ name }) => name));
    expect(ofTheOrder.filter((endpoint) => !served.has(endpoint))).to.deep.equal([]);
  });
});
