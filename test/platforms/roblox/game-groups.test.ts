import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { parseGameGroupReference, readGameGroup } from '../../../src/platforms/roblox/game-groups.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { countRequests, expectUnavailable, sendJson, startScriptedRoblox, useRobloxSandbox } from './roblox-setup.js';

describe('readGameGroup', () => {
  const sandbox = useRobloxSandbox();

  it('readGameGroup gives the group with its roles by rank, Guest included', async () => {
    const owner = sandbox().addUser({ username: 'Owner' });
    const roles = [
      { name: 'Boss', rank: 255 },
      { name: 'Guest', rank: 0 },
      { name: 'Artist', rank: 10 },
      { name: 'Builder', rank: 10 },
    ];
    const { id } = sandbox().addGroup({ name: 'Guild', ownerId: owner.id, roles });
    const group = await readGameGroup(id);
    expect(group).to.deep.include({ groupId: id, name: 'Guild', memberCount: 1, ownerId: owner.id });
    expect(group?.roles.map(({ name, rank }) => [name, rank])).to.deep.equal([
      ['Guest', 0],
      ['Artist', 10],
      ['Builder', 10],
      ['Boss', 255],
    ]);
    expect(group?.roles.every(({ gameRoleId }) => /^\d+$/.test(gameRoleId))).to.equal(true);
  });

  it('readGameGroup gives a group without an owner', async () => {
    const { id } = sandbox().addGroup({ name: 'Abandoned' });
    expect(await readGameGroup(id)).to.include({ ownerId: null, memberCount: 0 });
  });

  it('readGameGroup returns null for groups that do not exist and for texts that are no id', async () => {
    expect(await readGameGroup('999999999')).to.equal(null);
    sandbox().forgetRequests();
    for (const id of ['', '-', '-1', '1.5', '../2']) expect(await readGameGroup(id)).to.equal(null);
    expect(sandbox().requests).to.have.length(0);
  });

  it('readGameGroup remembers a group for five minutes, but not when it must be fresh', async () => {
    const { id } = sandbox().addGroup({ name: 'Remembered' });
    expect((await readGameGroup(id))?.roles).to.have.length(4);
    sandbox().addGroupRole(id, { name: 'New', rank: 50 });
    clock.advance(299_000);
    expect((await readGameGroup(id))?.roles).to.have.length(4);
    expect((await readGameGroup(id, { fresh: true }))?.roles).to.have.length(5);
    clock.advance(300_001);
    await readGameGroup(id);
    expect(countRequests(sandbox(), /\/roles$/)).to.equal(3);
  });

  it('readGameGroup does not mistake an outage, or half an answer, for "no such group"', async () => {
    const { id } = sandbox().addGroup({ name: 'Solid' });
    sandbox().inject({ match: /\/roles$/, status: 500 });
    await expectUnavailable(readGameGroup(id));
    sandbox().clearFaults();
    sandbox().inject({ match: /\/roles$/, corrupt: 'empty_data' });
    await expectUnavailable(readGameGroup(id));
  });

  it('readGameGroup refuses a group without existing roles in Roblox’s answer', async () => {
    const roblox = await startScriptedRoblox((request, response) =>
      request.url?.endsWith('/roles')
        ? sendJson(response, { errors: [{ code: 1, message: 'The group is invalid or does not exist.' }] }, 400)
        : sendJson(response, { id: 1, name: 'One', memberCount: 1, owner: null }),
    );
    configureRoblox(roblox.config);
    await expectUnavailable(readGameGroup('1'));
    await roblox.stop();
  });
});

describe('parseGameGroupReference', () => {
  it('parseGameGroupReference accepts ids and addresses of group pages', () => {
    for (const text of [
      '123',
      ' 123 ',
      'https://www.roblox.com/groups/123/My-Group',
      'https://www.roblox.com/communities/123/My-Group#!/about',
      'http://roblox.com/groups/123',
      'www.roblox.com/communities/123?tab=about',
      'https://web.roblox.com/groups/123/',
      'https://www.roblox.com/de/communities/123/Name',
      'https://www.roblox.com/pt-br/communities/123/Name',
      'https://www.roblox.com/groups/configure?id=123#!/roles',
      'https://www.roblox.com/fr/communities/configure?tab=roles&id=123',
      'https://www.roblox.com/My/Groups.aspx?gid=123',
      'http://m.roblox.com/Groups/group.aspx?x=1&gid=123#about',
    ]) {
      expect(parseGameGroupReference(text), text).to.equal('123');
    }
  });

  it('parseGameGroupReference accepts no other texts than ids and addresses of group pages', () => {
    for (const text of [
      '',
      'abc',
      '0',
      '-1',
      '12.5',
      '99999999999999999999',
      'https://www.roblox.com/users/123/profile',
      'https://www.roblox.com/groups/',
      'https://www.roblox.com/groups/123abc',
      'https://evil.example/groups/123',
      'https://www.roblox.com.evil.example/groups/123',
      'https://www.roblox.com/groups/configure?id=123abc',
      'https://www.roblox.com/groups/configure?gameid=123',
      'https://www.roblox.com/catalog/configure?id=123',
      'https://evil.example/groups.aspx?gid=123',
      'https://evil.example/?u=https://www.roblox.com/groups/123',
    ]) {
      expect(parseGameGroupReference(text), text).to.equal(null);
    }
  });
});
