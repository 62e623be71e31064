import { expect } from 'chai';
import { field, list, newName, RobloxFixture } from './roblox-fixture.js';

describe('The Roblox sandbox: inventories', () => {
  const fixture = new RobloxFixture();
  const read = (userId: string, filter: string) =>
    fixture.cloud(`/users/${userId}/inventory-items?filter=${encodeURIComponent(filter)}`);

  it('Sandbox inventories show which of the ids of one kind are there', async () => {
    const { id } = fixture.sandbox.addUser({ username: newName() });
    const kinds = [
      ['badge', 'badgeIds', 'badgeDetails', 'badgeId'],
      ['game_pass', 'gamePassIds', 'gamePassDetails', 'gamePassId'],
      ['asset', 'assetIds', 'assetDetails', 'assetId'],
    ] as const;
    for (const [kind] of kinds) fixture.sandbox.giveItem(id, { kind, id: '7' });
    for (const [, filter, details, idField] of kinds) {
      const { status, body } = await read(id, `${filter}=6,7`);
      expect([status, list(body, 'inventoryItems').length]).to.deep.equal([200, 1]);
      expect(field(body, 'inventoryItems', 0, details, idField)).to.equal('7');
    }
    fixture.sandbox.takeItem(id, { kind: 'badge', id: '7' });
    expect(list((await read(id, 'badgeIds=7')).body, 'inventoryItems')).to.deep.equal([]);
  });

  it('Sandbox inventories refuse ids of several kinds, and to show a private inventory', async () => {
    const { id } = fixture.sandbox.addUser({ username: newName() });
    expect((await read(id, 'badgeIds=1;assetIds=2')).status).to.equal(400);
    fixture.sandbox.setInventoryPrivate(id);
    const { status, body } = await read(id, 'badgeIds=1');
    expect([status, field(body, 'code')]).to.deep.equal([403, 'PERMISSION_DENIED']);
  });

  it('Sandbox inventories allow 100 reads a minute', async () => {
    const { id } = fixture.sandbox.addUser({ username: newName() });
    expect((await read(id, 'badgeIds=1')).headers.get('x-ratelimit-limit')).to.equal('100, 100;w=60');
  });
});
