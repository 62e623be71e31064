import { setImmediate } from 'node:timers/promises';
import { expect } from 'chai';
import { inLane, type Lane } from '../../../src/lib/lane.js';
import { readGameGroup } from '../../../src/platforms/roblox/game-groups.js';
import { checkGroup } from '../../../src/platforms/roblox/group-checks.js';
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
      // One server's viewer token reads some people, one after the other.
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

  it('A server that names groups at Roblox’s limit holds no promotion in another server, also of the same group', async () => {
    const roblox = await startScriptedRoblox((request, response) => {
      for (const [name, value] of Object.entries(nearlyUsedUp)) response.setHeader(name, value);
      const [, id = ''] = /groups\/(\d+)/.exec(request.url ?? '') ?? [];
      const groupRoles = [{ path: `groups/${id}/roles/1`, id: '1', displayName: 'Member', rank: 1 }];
      sendJson(response, { id, displayName: 'Crew', memberCount: 1, groupRoles });
    });
    configureRoblox(roblox.config);
    const read = (groupId: string) => inLane('single', () => readGameGroup(groupId, { fresh: true }));
    const named = (groupId: string) => inLane('press', () => checkGroup('one server', groupId)).catch(() => undefined);
    try {
      await read('1');
      const checks = ['7', '8', '9'].map(named);
      const sync = inLane('single', () => readGameGroup('7'));
      const first = await Promise.race([
        sync.then(() => 'the sync'),
        ...checks.map((one) => one.then(() => 'a check')),
      ]);
      expect(first).to.equal('the sync');
      expect(await read('8')).to.include({ groupId: '8' });
    } finally {
      await roblox.stop();
    }
  });
});
