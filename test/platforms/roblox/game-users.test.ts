import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import {
  findGameUser,
  findGameUserByName,
  readGameNames,
  shortGameUserReference,
} from '../../../src/platforms/roblox/game-user-search.js';
import { readGameUser } from '../../../src/platforms/roblox/game-users.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import {
  configFor,
  countRequests,
  expectUnavailable,
  sendJson,
  startScriptedRoblox,
  useRobloxSandbox,
} from './roblox-setup.js';

describe('Roblox accounts', () => {
  const sandbox = useRobloxSandbox();

  describe('findGameUserByName', () => {
    it('findGameUserByName finds an account by its current name in any letter case, and by a former one', async () => {
      const user = sandbox().addUser({ username: 'BuilderBen', displayName: 'Ben', formerNames: ['OldBen'] });
      const found = { gameUserId: user.id, gameUsername: 'BuilderBen', gameDisplayName: 'Ben' };
      expect(await findGameUserByName('BuilderBen')).to.deep.equal(found);
      expect(await findGameUserByName('  builderben ')).to.deep.equal(found);
      expect(await findGameUserByName('oldben')).to.deep.equal(found);
    });

    it('findGameUserByName finds banned accounts too, and none for unknown or empty names', async () => {
      const user = sandbox().addUser({ username: 'Banned_One', banned: true });
      expect(await findGameUserByName('Banned_One')).to.include({ gameUserId: user.id });
      expect(await findGameUserByName('nobody_has_this')).to.equal(null);
      sandbox().forgetRequests();
      expect(await findGameUserByName('   ')).to.equal(null);
      expect(sandbox().requests).to.have.length(0);
    });

    it('findGameUserByName retries its POST, since it only reads, and never mistakes an outage for "nobody"', async () => {
      sandbox().addUser({ username: 'Steady' });
      sandbox().inject({ match: /usernames/, status: 502, times: 1 });
      expect(await findGameUserByName('Steady')).to.include({ gameUsername: 'Steady' });
      sandbox().inject({ match: /usernames/, corrupt: 'truncated' });
      await expectUnavailable(findGameUserByName('Steady'));
    });

    it('findGameUserByName refuses an answer about another name', async () => {
      const roblox = await startScriptedRoblox((_, response) =>
        sendJson(response, { data: [{ requestedUsername: 'other', id: 1, name: 'other', displayName: 'Other' }] }),
      );
      configureRoblox(roblox.config);
      await expectUnavailable(findGameUserByName('mine'));
      await roblox.stop();
    });
  });

  describe('findGameUser', () => {
    it('findGameUser accepts a name, the address of a profile and an id', async () => {
      const { id } = sandbox().addUser({ username: 'Findable' });
      for (const text of [
        'Findable',
        ' @findable ',
        `https://www.roblox.com/users/${id}/profile`,
        `roblox.com/de/users/${id}`,
        `#${id}`,
        `id: ${id}`,
        id,
      ]) {
        expect(await findGameUser(text), text).to.include({ gameUserId: id });
      }
      for (const text of ['', '@', '#0', '99999999999999999999', `https://evil.example/users/${id}/profile`]) {
        expect(await findGameUser(text), text).to.equal(null);
      }
    });

    it('findGameUser reads digits alone as a name first, since a name may consist of digits', async () => {
      const byId = sandbox().addUser({ username: 'HasAnId' });
      const byName = sandbox().addUser({ username: byId.id });
      expect(await findGameUser(byId.id)).to.include({ gameUserId: byName.id });
      expect(await findGameUser(`#${byId.id}`)).to.include({ gameUserId: byId.id });
    });

    it('shortGameUserReference makes a short text of a typed name, address or id', () => {
      expect(shortGameUserReference('https://www.roblox.com/users/12/profile')).to.equal('#12');
      expect(shortGameUserReference(' @Name ')).to.equal('Name');
      expect(shortGameUserReference('12')).to.equal('12');
    });
  });

  describe('readGameNames', () => {
    it('readGameNames gives the names of many in one call, and leaves out deleted and banned accounts', async () => {
      const [kept, banned, deleted] = ['Kept', 'BannedNow', 'DeletedNow'].map((username) =>
        sandbox().addUser({ username }),
      );
      sandbox().setBanned(banned?.id ?? '', true);
      sandbox().removeUser(deleted?.id ?? '');
      const ids = [kept, banned, deleted].map((user) => user?.id ?? '');
      expect([...(await readGameNames(ids)).values()].map(({ gameUsername }) => gameUsername)).to.deep.equal(['Kept']);
      expect(sandbox().requests).to.have.length(1);
    });

    it('readGameNames reads names one by one from Open Cloud when the older host is closed', async () => {
      const [one, two] = ['OneByOne', 'TwoByTwo'].map((username) => sandbox().addUser({ username }).id);
      configureRoblox(configFor(sandbox(), { openCloud: true }));
      sandbox().closeOlderReads();
      const found = await readGameNames([one ?? '', two ?? '', '999999999']);
      sandbox().closeOlderReads(false);
      expect([...found.keys()]).to.have.members([one, two]);
    });
  });

  describe('readGameUser', () => {
    // ROBLOX-13
    it('readGameUser gives the public profile', async () => {
      const createdAt = new Date('2020-02-03T04:05:06.789Z');
      const user = sandbox().addUser({ username: 'Profiled', displayName: 'P', createdAt, about: 'red fox' });
      expect(await readGameUser(user.id)).to.deep.equal({
        gameUserId: user.id,
        gameUsername: 'Profiled',
        gameDisplayName: 'P',
        createdAt,
        banned: false,
        about: 'red fox',
        premium: null,
      });
      sandbox().setBanned(user.id, true);
      expect(await readGameUser(user.id, { fresh: true })).to.include({ banned: true });
    });

    it('readGameUser returns null for an account that does not exist and for a text that is no id', async () => {
      expect(await readGameUser('999999999')).to.equal(null);
      sandbox().forgetRequests();
      for (const id of ['', 'abc', '0', '1/../2', '99999999999999999999'])
        expect(await readGameUser(id)).to.equal(null);
      expect(sandbox().requests).to.have.length(0);
    });

    it('readGameUser remembers a profile for a minute, but not when it must be fresh', async () => {
      const user = sandbox().addUser({ username: 'Cached', about: 'before' });
      await readGameUser(user.id);
      sandbox().setAbout(user.id, 'after');
      expect(await readGameUser(user.id)).to.include({ about: 'before' });
      expect(await readGameUser(user.id, { fresh: true })).to.include({ about: 'after' });
      expect(await readGameUser(user.id)).to.include({ about: 'after' });
      sandbox().setAbout(user.id, 'later');
      clock.advance(60_001);
      expect(await readGameUser(user.id)).to.include({ about: 'later' });
      expect(countRequests(sandbox(), /^\/v1\/users\/\d+$/)).to.equal(3);
    });

    it('readGameUser shares one request among readers at the same time', async () => {
      const user = sandbox().addUser({ username: 'Popular' });
      const all = await Promise.all(Array.from({ length: 20 }, () => readGameUser(user.id)));
      expect(all.every((found) => found?.gameUsername === 'Popular')).to.equal(true);
      expect(sandbox().requests).to.have.length(1);
    });

    it('readGameUser does not mistake an outage for "no such account"', async () => {
      const user = sandbox().addUser({ username: 'StillHere' });
      sandbox().inject({ match: /users\.roblox\.com/, status: 404 });
      await expectUnavailable(readGameUser(user.id));
      sandbox().clearFaults();
      expect(await readGameUser(user.id)).to.include({ gameUsername: 'StillHere' });
    });

    it('readGameUser refuses another person’s profile', async () => {
      const roblox = await startScriptedRoblox((_, response) =>
        sendJson(response, {
          id: 2,
          name: 'two',
          displayName: 'Two',
          description: '',
          created: '2020-01-01T00:00:00Z',
          isBanned: false,
        }),
      );
      configureRoblox(roblox.config);
      await expectUnavailable(readGameUser('1'));
      await roblox.stop();
    });
  });
});
