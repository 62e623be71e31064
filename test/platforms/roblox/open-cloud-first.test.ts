import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { GamePlatformClosed } from '../../../src/lib/errors.js';
import { readKeyFault } from '../../../src/platforms/roblox/api-key.js';
import { readGameGroup } from '../../../src/platforms/roblox/game-groups.js';
import { findGameUser, findGameUserByName } from '../../../src/platforms/roblox/game-user-search.js';
import { readGameUser } from '../../../src/platforms/roblox/game-users.js';
import { readMemberships } from '../../../src/platforms/roblox/memberships.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { robloxStats } from '../../../src/platforms/roblox/roblox-host.js';
import { configFor, expectUnavailable, useRobloxSandbox } from './roblox-setup.js';

const day = 24 * 60 * 60 * 1000;

// ROBLOX-1, ROBLOX-3
describe('Roblox reads with an API key', () => {
  const sandbox = useRobloxSandbox({ openCloud: true });
  const hosts = () => [...new Set(sandbox().requests.map(({ host }) => host))];
  afterEach(() => {
    sandbox().closeOlderReads(false);
    sandbox().mendKey();
  });

  // ROBLOX-13
  it('Profiles, groups and their roles are read from Open Cloud alone with an API key', async () => {
    const createdAt = new Date('2020-02-03T04:05:06.789Z');
    const user = sandbox().addUser({ username: 'Clouded', displayName: 'C', createdAt, about: 'red fox' });
    const roles = [...Array(45).keys()].map((rank) => ({ name: `R${rank}`, rank }));
    const { id } = sandbox().addGroup({ name: 'Cloud Crew', ownerId: user.id, roles });
    expect(await readGameUser(user.id)).to.deep.equal({
      gameUserId: user.id,
      gameUsername: 'Clouded',
      gameDisplayName: 'C',
      createdAt,
      banned: false,
      about: 'red fox',
      premium: false,
    });
    const group = await readGameGroup(id);
    expect(group).to.include({ groupId: id, name: 'Cloud Crew', memberCount: 1, ownerId: user.id });
    expect(group?.roles.map(({ rank }) => rank)).to.deep.equal([...Array(45).keys()]);
    expect((await readMemberships(user.id, [id]))?.get(id)?.map(({ name }) => name)).to.deep.equal(['R44']);
    expect(hosts()).to.deep.equal(['apis.roblox.com']);
  });

  it('A read returns null only when Open Cloud does not know the subject', async () => {
    expect(await readGameUser('999999999')).to.equal(null);
    expect(await readGameGroup('999999999')).to.equal(null);
    const { id } = sandbox().addGroup({ name: 'Half' });
    sandbox().inject({ match: /\/roles$/, status: 404 });
    await expectUnavailable(readGameGroup(id));
    sandbox().clearFaults();
    sandbox().inject({ match: /\/roles$/, corrupt: 'empty_data' });
    await expectUnavailable(readGameGroup(id));
  });

  // ROBLOX-5, ROBLOX-6
  it('Reads with an API key continue when the older hosts close, except by name, which fails in words', async () => {
    const user = sandbox().addUser({ username: 'StillReadable' });
    const { id } = sandbox().addGroup({ name: 'Still', ownerId: user.id });
    sandbox().closeOlderReads();
    expect(await readGameUser(user.id)).to.include({ gameUsername: 'StillReadable' });
    expect((await readMemberships(user.id, [id]))?.has(id)).to.equal(true);
    const closed = await findGameUserByName('StillReadable').catch((error: unknown) => error);
    expect(closed).to.be.instanceOf(GamePlatformClosed);
    expect(closed).to.include({ code: 'game_platform_closed', message: 'Roblox no longer answers this.' });
    expect(robloxStats().closed).to.deep.equal(['users']);
    for (const reference of [`https://www.roblox.com/users/${user.id}/profile`, `#${user.id}`]) {
      expect(await findGameUser(reference), reference).to.include({ gameUserId: user.id });
    }
  });

  it('A used-up rate limit of one Open Cloud endpoint holds up no other', async () => {
    const { id } = sandbox().addGroup({ name: 'Busy' });
    const user = sandbox().addUser({ username: 'Unhindered' });
    sandbox().inject({ match: /cloud\/v2\/groups\/\d+$/, status: 429, retryAfter: 60 });
    await expectUnavailable(readGameGroup(id));
    expect(await readGameUser(user.id)).to.include({ gameUsername: 'Unhindered' });
  });

  it('readKeyFault distinguishes a wrong, disabled, expired, soon expiring or scopeless key from a good one', async () => {
    expect(await readKeyFault()).to.equal(null);
    sandbox().setKey({ expiresAt: new Date(clock.epochMs() + 8 * day) });
    expect(await readKeyFault()).to.equal(null);
    sandbox().setKey({ expiresAt: new Date(clock.epochMs() + 6 * day) });
    expect(await readKeyFault()).to.equal('expiring');
    sandbox().setKey({ scopes: ['universe:write'] });
    expect(await readKeyFault()).to.equal('scope_missing');
    sandbox().setKey({ expiresAt: new Date(clock.epochMs() - 1) });
    expect(await readKeyFault()).to.equal('expired');
    sandbox().setKey({ enabled: false });
    expect(await readKeyFault()).to.equal('disabled');
    configureRoblox({ ...configFor(sandbox()), apiKey: 'another' });
    expect(await readKeyFault()).to.equal('wrong');
    configureRoblox(configFor(sandbox()));
    expect(await readKeyFault()).to.equal(null);
    sandbox().inject({ match: /introspect/, status: 503 });
    configureRoblox(configFor(sandbox(), { openCloud: true }));
    await expectUnavailable(readKeyFault());
  });

  // ROBLOX-5
  it('A read explains that Roblox refuses the API key', async () => {
    sandbox().setKey({ enabled: false });
    const refused = await readGameUser('1').catch((error: unknown) => error);
    expect(refused).to.include({ code: 'game_platform_closed' });
    expect(refused).to.have.property('message').that.includes('ROBLOX_API_KEY');
  });
});

describe('Roblox reads without an API key', () => {
  const sandbox = useRobloxSandbox();
  afterEach(() => sandbox().closeOlderReads(false));

  // ROBLOX-5
  it('Keyless reads say that a key is needed while older hosts are closed, asking once each, and recover later', async () => {
    const user = sandbox().addUser({ username: 'Shut' });
    sandbox().closeOlderReads();
    const closed = await readGameUser(user.id).catch((error: unknown) => error);
    expect(closed).to.be.instanceOf(GamePlatformClosed);
    expect(closed).to.have.property('message').that.includes('has to set ROBLOX_API_KEY');
    expect(sandbox().requests).to.have.length(1);
    expect(robloxStats()).to.deep.include({ closed: ['users'], breakerOpen: [] });
    sandbox().closeOlderReads(false);
    expect(await readGameUser(user.id)).to.include({ gameUsername: 'Shut' });
    expect(robloxStats().closed).to.deep.equal([]);
  });
});
