import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { inLane, type Lane } from '../../../src/lib/lane.js';
import { readMemberships } from '../../../src/platforms/roblox/memberships.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { sendJson, startScriptedRoblox, useQuiet } from './roblox-setup.js';

const nearlyUsedUp = { 'x-ratelimit-limit': '300', 'x-ratelimit-remaining': '80', 'x-ratelimit-reset': '10' };

// ROBLOX-2, ROBLOX-25
describe('Reads of one server at Roblox’s limit, beside the syncs of another', () => {
  useQuiet();

  it('Reads over the API that wait for the next window hold no sync, whatever they ask for', async () => {
    const roblox = await startScriptedRoblox((_request, response) => {
      for (const [name, value] of Object.entries(nearlyUsedUp)) response.setHeader(name, value);
      sendJson(response, { groupMemberships: [], groupRoles: [] });
    });
    configureRoblox(roblox.config);
    const read = (lane: Lane, id: string) =>
      inLane(lane, () => readMemberships(id, ['7'], { fresh: lane === 'single' }));
    try {
      await read('single', '1');
      // A viewer's token of one server reads some people, one after the other.
      const reads: Promise<unknown>[] = [];
      for (const id of ['2', '3', '4']) {
        reads.push(read('read', id).catch(() => undefined));
        await setImmediate();
      }
      const sent = roblox.requests.length;
      const syncs = Promise.all(['2', '5', '6'].map((id) => read('single', id)));
      const first = await Promise.race([syncs.then(() => 'syncs'), ...reads.map((one) => one.then(() => 'a read'))]);
      expect(first).to.equal('syncs');
      expect(roblox.requests.length).to.be.greaterThan(sent);
    } finally {
      await roblox.stop();
    }
  });
});
