import { expect } from 'chai';
import { findContractsFolder, loadContracts } from './contract-documents.js';
import { OperationFinder } from './operation-finder.js';

// ENV-36
describe('The platforms’ published contracts', () => {
  it('The platforms’ contracts are there, so that every exchange of the other tests is really checked', function () {
    const folder = findContractsFolder();
    if (folder === undefined && !process.env.CI) {
      this.skip();
    }
    expect(folder, 'CONTRACTS_DIR must name the folder of the contracts').to.be.a('string');
  });

  it('The platforms’ contracts hold all operations that the service calls', function () {
    const folder = findContractsFolder();
    if (folder === undefined) this.skip();
    const finder = new OperationFinder(loadContracts(folder));
    const labelOf = (host: string, method: string, path: string) => finder.find(host, method, path)?.operation.label;
    const cases: [host: string, method: string, path: string, template: string][] = [
      ['discord.com', 'GET', '/api/v10/users/@me', '/api/v10/users/@me'],
      ['discord.com', 'GET', '/api/v10/users/123', '/api/v10/users/{user_id}'],
      ['discord.com', 'PATCH', '/api/v10/guilds/1/members/%40me', '/api/v10/guilds/{guild_id}/members/@me'],
      ['discord.com', 'PATCH', '/api/v10/guilds/1/members/2', '/api/v10/guilds/{guild_id}/members/{user_id}'],
      ['discord.com', 'POST', '/api/v10/oauth2/token', '/api/v10/oauth2/token'],
      ['apis.roblox.com', 'GET', '/cloud/v2/users/7', '/cloud/v2/users/{user_id}'],
      ['apis.roblox.com', 'GET', '/cloud/v2/users/7:generateThumbnail', '/cloud/v2/users/{user_id}:generateThumbnail'],
      ['apis.roblox.com', 'POST', '/api-keys/v1/introspect', '/api-keys/v1/introspect'],
      ['groups.roblox.com', 'GET', '/v1/groups/search/lookup', '/v1/groups/search/lookup'],
      ['apis.roblox.com', 'POST', '/oauth/v1/token', '/oauth/v1/token'],
      ['api.stripe.com', 'GET', '/v1/subscriptions/sub_1', '/v1/subscriptions/{subscription_exposed_id}'],
      ['api.stripe.com', 'GET', '/v1/prices/price_1', '/v1/prices/{price}'],
      ['api.stripe.com', 'GET', '/v1/webhook_endpoints', '/v1/webhook_endpoints'],
      ['webhooks', 'POST', '/invoice.paid', '/invoice.paid'],
    ];
    for (const [host, method, path, template] of cases) {
      expect(labelOf(host, method, path)).to.equal(`${method} ${host}${template}`);
    }
    expect(labelOf('users.roblox.com', 'GET', '/v1/groups/1')).to.equal(undefined);
    expect(labelOf('groups.roblox.com', 'DELETE', '/v1/groups/1')).to.equal(undefined);
  });
});
