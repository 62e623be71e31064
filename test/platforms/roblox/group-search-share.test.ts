import { expect } from 'chai';
import { searchGameGroups } from '../../../src/platforms/roblox/game-group-search.js';
import { readPublicMemberships } from '../../../src/platforms/roblox/public-memberships.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { expectUnavailable, sendJson, startScriptedRoblox, useQuiet } from './roblox-setup.js';

// ROBLOX-24
describe('Searches for groups beside readings of ranks', () => {
  useQuiet();

  it('A search at Roblox’s limit doesn’t keep the ranks of others from coming, which the same host tells', async () => {
    const roblox = await startScriptedRoblox((request, response) => {
      if (!request.url?.includes('/search/')) return sendJson(response, { data: [] });
      response.writeHead(429, { 'retry-after': '86400' }).end();
    });
    configureRoblox(roblox.config);
    try {
      await expectUnavailable(searchGameGroups('Any'));
      expect(await readPublicMemberships('1', { totalMs: 1_000, attempts: 1 })).to.be.an.instanceOf(Map);
      // The next search isn't sent.
      const sent = roblox.requests.length;
      await expectUnavailable(searchGameGroups('Other'));
      expect(roblox.requests.length).to.equal(sent);
    } finally {
      await roblox.stop();
    }
  });
});
