import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import * as memberships from '../../../src/platforms/roblox/memberships.js';
import { countRequests, expectUnavailable, useRobloxSandbox } from './roblox-setup.js';

/** The memberships for a person known to Roblox. */
const readMemberships = async (...asked: Parameters<typeof memberships.readMemberships>) => {
  const found = await memberships.readMemberships(...asked);
  if (found === null) throw new Error('Roblox does not know the account');
  return found;
};

const MEMBERSHIP_READS = /\/memberships$|\/v2\/users\/\d+\/groups\/roles$/;

for (const openCloud of [true, false]) {
  describe(`readMemberships ${openCloud ? 'with an Open Cloud key' : 'from the public endpoint'}`, () => {
    const sandbox = useRobloxSandbox({ openCloud, timeoutMs: 300 });
    let names = 0;
    const addUser = () => {
      names += 1;
      return sandbox().addUser({ username: `Member${openCloud}${names}` }).id;
    };
    const reads = () => countRequests(sandbox(), MEMBERSHIP_READS);

    it('readMemberships returns the roles in the groups asked for, and leaves out groups without the person', async () => {
      const userId = addUser();
      const [crew, other, stranger] = ['Crew', 'Other', 'Stranger'].map((name) => sandbox().addGroup({ name }).id);
      sandbox().setRank(crew ?? '', userId, 100);
      sandbox().setRank(other ?? '', userId, 1);
      const found = await readMemberships(userId, [crew ?? '', stranger ?? '', '999999999']);
      expect([...found.keys()]).to.deep.equal([crew]);
      expect(found.get(crew ?? '')?.map(({ name, rank }) => [name, rank])).to.deep.equal([['Officer', 100]]);
      expect(reads()).to.equal(1);
    });

    it('readMemberships returns no group when Roblox’s answer has none', async () => {
      const { id } = sandbox().addGroup({ name: 'Empty' });
      expect((await readMemberships(addUser(), [id])).size).to.equal(0);
      expect(reads()).to.equal(1);
    });

    it('readMemberships asks Roblox nothing when there is no group to ask about', async () => {
      expect((await readMemberships(addUser(), [])).size).to.equal(0);
      expect(sandbox().requests).to.have.length(0);
    });

    it('readMemberships remembers for a minute, whichever groups are asked about, but not when it must be fresh', async () => {
      const userId = addUser();
      const [first, second] = ['First', 'Second'].map((name) => sandbox().addGroup({ name }).id);
      sandbox().setRank(first ?? '', userId, 1);
      const rankIn = async (groupId = '', fresh = false) =>
        (await readMemberships(userId, [groupId], { fresh })).get(groupId)?.[0]?.rank;
      expect(await rankIn(first)).to.equal(1);
      sandbox().setRank(first ?? '', userId, 255);
      sandbox().setRank(second ?? '', userId, 100);
      expect(await rankIn(first)).to.equal(1);
      expect(await rankIn(second)).to.equal(undefined);
      expect(reads()).to.equal(1);
      expect(await rankIn(first, true)).to.equal(255);
      expect(await rankIn(second)).to.equal(100);
      expect(reads()).to.equal(2);
      sandbox().leaveGroup(first ?? '', userId);
      clock.advance(60_001);
      expect(await rankIn(first)).to.equal(undefined);
    });

    it('readMemberships shares one request among readers at the same time', async () => {
      const userId = addUser();
      const { id } = sandbox().addGroup({ name: 'Busy' });
      sandbox().setRank(id, userId, 1);
      const all = await Promise.all(Array.from({ length: 20 }, () => readMemberships(userId, [id])));
      expect(all.every((memberships) => memberships.get(id)?.length === 1)).to.equal(true);
      expect(reads()).to.equal(1);
    });

    for (const [outage, fault] of Object.entries({
      'server errors': { status: 500 },
      unavailability: { status: 503 },
      'a rate limit': { status: 429, retryAfter: 60 },
      'a refusal': { status: 403 },
      'a missing page': { status: 404 },
      timeouts: { delayMs: 500, times: 4 },
      'dropped sockets': { dropSocket: true },
      'truncated answers': { corrupt: 'truncated' },
    } as const)) {
      it(`readMemberships never reads ${outage} as "not a member"`, async () => {
        const userId = addUser();
        const { id } = sandbox().addGroup({ name: 'Lasting' });
        sandbox().setRank(id, userId, 100);
        sandbox().inject({ match: /memberships$|v2\/users/, ...fault });
        await expectUnavailable(readMemberships(userId, [id], { fresh: true }));
        sandbox().clearFaults();
      });
    }

    it('readMemberships does not remember a failure', async () => {
      const userId = addUser();
      const { id } = sandbox().addGroup({ name: 'Back' });
      sandbox().setRank(id, userId, 100);
      sandbox().inject({ match: /memberships$|v2\/users/, status: 403, times: 1 });
      await expectUnavailable(readMemberships(userId, [id]));
      expect((await readMemberships(userId, [id])).get(id)).to.have.length(1);
    });
  });
}

describe('readMemberships with an Open Cloud key', () => {
  const sandbox = useRobloxSandbox({ openCloud: true });

  it('readMemberships returns every role of a member with several, highest first', async () => {
    const userId = sandbox().addUser({ username: 'Versatile' }).id;
    const group = sandbox().addGroup({ name: 'Studio' });
    const artist = sandbox().addGroupRole(group.id, { name: 'Artist', rank: 20 });
    const musician = sandbox().addGroupRole(group.id, { name: 'Musician', rank: 30 });
    sandbox().setGroupRoles(group.id, userId, [artist.id, musician.id]);
    expect((await readMemberships(userId, [group.id])).get(group.id)).to.deep.equal([
      { gameRoleId: musician.id, name: 'Musician', rank: 30 },
      { gameRoleId: artist.id, name: 'Artist', rank: 20 },
    ]);
  });

  it('readMemberships reads all pages of a person in more than a hundred groups', async () => {
    const userId = sandbox().addUser({ username: 'Joiner' }).id;
    const ids = Array.from({ length: 205 }, (_, n) => sandbox().addGroup({ name: `Joined ${n}` }).id);
    for (const id of ids) sandbox().setRank(id, userId, 1);
    const wanted = [ids[0] ?? '', ids[204] ?? ''];
    expect([...(await readMemberships(userId, wanted)).keys()]).to.deep.equal(wanted);
    expect(countRequests(sandbox(), MEMBERSHIP_READS)).to.equal(3);
  });

  it('readMemberships reads a group’s roles again when a person holds an unknown one', async () => {
    const userId = sandbox().addUser({ username: 'Promoted' }).id;
    const group = sandbox().addGroup({ name: 'Growing' });
    sandbox().setRank(group.id, userId, 1);
    await readMemberships(userId, [group.id]);
    const role = sandbox().addGroupRole(group.id, { name: 'Brand new', rank: 77 });
    sandbox().setGroupRoles(group.id, userId, [role.id]);
    expect((await readMemberships(userId, [group.id], { fresh: true })).get(group.id)).to.deep.equal([
      { gameRoleId: role.id, name: 'Brand new', rank: 77 },
    ]);
  });

  it('readMemberships does not give half the truth when the roles of the group cannot be read', async () => {
    const userId = sandbox().addUser({ username: 'Ranked' }).id;
    const group = sandbox().addGroup({ name: 'Silent' });
    sandbox().setRank(group.id, userId, 1);
    sandbox().inject({ match: /cloud\/v2\/groups\/\d+\/roles/, status: 500 });
    await expectUnavailable(readMemberships(userId, [group.id]));
  });
});

describe('readMemberships from the public endpoint', () => {
  useRobloxSandbox();

  it('readMemberships returns null, rather than "no groups", for an account that Roblox does not know', async () => {
    expect(await memberships.readMemberships('999999999', ['1'])).to.equal(null);
  });
});
