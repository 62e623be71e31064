import { expect } from 'chai';
import { GamePlatformUnavailable } from '../../../src/lib/errors.js';
import { assignGroupRole, type RankOutcome, unassignGroupRole } from '../../../src/platforms/roblox/group-ranks.js';
import { readKeyRights } from '../../../src/platforms/roblox/key-rights.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { newName } from '../../sandbox/roblox/roblox-fixture.js';
import {
  countRequests,
  expectUnavailable,
  sendJson,
  startScriptedRoblox,
  useQuiet,
  useRobloxSandbox,
} from './roblox-setup.js';

const going = () => new AbortController().signal;
const refused = (outcome: RankOutcome) => (outcome.kind === 'refused' ? outcome.reason : 'done');

describe('Writing ranks', () => {
  const sandbox = useRobloxSandbox({ openCloud: true, timeoutMs: 500 });

  /** A group whose owner's right hand has made the key. */
  function newGroup(permissions: ('changeRank' | 'acceptRequests')[] = ['changeRank']) {
    const [owner, staff, member] = [0, 1, 2].map(() => sandbox().addUser({ username: newName() }).id);
    if (!owner || !staff || !member) throw new Error('No users.');
    const group = sandbox().addGroup({
      name: 'Pine Crew',
      ownerId: owner,
      roles: [
        { name: 'Guest', rank: 0 },
        { name: 'Cadet', rank: 1 },
        { name: 'Scout', rank: 5 },
        { name: 'Captain', rank: 100, permissions },
        { name: 'Owner', rank: 255 },
      ],
    });
    const role = (name: string) => group.roles.find((one) => one.name === name)?.id ?? '';
    sandbox().setRank(group.id, staff, 100);
    sandbox().setRank(group.id, member, 1);
    sandbox().mendKey();
    sandbox().setKey({ accountId: staff });
    const change = (name: string, gameUserId = member) => ({ groupId: group.id, gameUserId, gameRoleId: role(name) });
    return { group, owner, staff, member, role, change };
  }

  it('assignGroupRole adds a role and unassignGroupRole takes one, and both answer the roles after it', async () => {
    const { group, member, role, change } = newGroup();
    const added = await assignGroupRole(change('Scout'), going());
    expect(added).to.deep.equal({ kind: 'done', gameRoleIds: [role('Scout'), role('Cadet')] });
    expect(sandbox().ranksOf(group.id, member)).to.deep.equal([5, 1]);
    const taken = await unassignGroupRole(change('Cadet'), going());
    expect(taken).to.deep.equal({ kind: 'done', gameRoleIds: [role('Scout')] });
    expect(sandbox().ranksOf(group.id, member)).to.deep.equal([5]);
    expect(await assignGroupRole(change('Scout'), going())).to.deep.equal(taken);
  });

  // ROBLOX-28
  it('A refused write of ranks changes nothing and gives its reason', async () => {
    const { group, owner, member, change } = newGroup();
    const outsider = sandbox().addUser({ username: newName() }).id;
    const gone = sandbox().addUser({ username: newName() }).id;
    sandbox().removeUser(gone);
    expect(refused(await assignGroupRole(change('Captain'), going())), 'its own rank').to.equal('permission');
    expect(refused(await assignGroupRole(change('Scout', owner), going())), 'above it').to.equal('permission');
    expect(refused(await assignGroupRole(change('Scout', outsider), going()))).to.equal('not_member');
    expect(refused(await assignGroupRole(change('Scout', gone), going()))).to.equal('account_gone');
    expect(refused(await assignGroupRole(change('Guest'), going()))).to.equal('role_unknown');
    expect(refused(await assignGroupRole({ ...change('Scout'), gameRoleId: '9' }, going()))).to.equal('role_unknown');
    sandbox().setKey({ scopes: ['group:read'] });
    expect(refused(await assignGroupRole(change('Scout'), going()))).to.equal('permission');
    sandbox().setKey({ enabled: false });
    expect(refused(await assignGroupRole(change('Scout'), going()))).to.equal('key');
    sandbox().mendKey();
    sandbox().inject({ match: /:assignRole/, status: 409, times: 1 });
    expect(refused(await assignGroupRole(change('Scout'), going()))).to.equal('role_full');
    expect(sandbox().ranksOf(group.id, member)).to.deep.equal([1]);
  });

  it('A 429 to a write of ranks is a refusal that tells the wait, and later writes are not sent before it is over', async () => {
    const { change } = newGroup();
    sandbox().inject({ match: /:assignRole/, status: 429, retryAfter: 30, times: 1 });
    for (const calls of [1, 1]) {
      const outcome = await assignGroupRole(change('Scout'), going());
      expect(outcome).to.deep.include({ kind: 'refused', reason: 'rate_limited' });
      expect(outcome.kind === 'refused' && outcome.retryAfterSeconds).to.be.within(28, 30);
      expect(countRequests(sandbox(), /:assignRole$/)).to.equal(calls);
    }
  });

  // ROBLOX-27
  it('A write of ranks with an unknown result is sent once and throws', async () => {
    const { group, member, change } = newGroup();
    sandbox().inject({ match: /:assignRole/, status: 500, times: 1 });
    await expectUnavailable(assignGroupRole(change('Scout'), going()));
    expect(sandbox().ranksOf(group.id, member)).to.deep.equal([1]);
    sandbox().inject({ match: /:assignRole/, dropSocket: true, when: 'after', times: 1 });
    await expectUnavailable(assignGroupRole(change('Scout'), going()));
    expect(sandbox().ranksOf(group.id, member), 'it was made').to.deep.equal([5, 1]);
    expect(countRequests(sandbox(), /:assignRole$/)).to.equal(2);
    sandbox().inject({ match: /:unassignRole/, delayMs: 900, when: 'after', times: 1 });
    await expectUnavailable(unassignGroupRole(change('Cadet'), going()));
    expect(sandbox().ranksOf(group.id, member), 'it was too slow').to.deep.equal([5]);
  });

  it('A stopped write of ranks is not sent', async () => {
    const { change } = newGroup();
    const outcome = await assignGroupRole(change('Scout'), AbortSignal.abort(new Error('stop'))).catch(String);
    expect(outcome).to.equal('Error: stop');
    expect(countRequests(sandbox(), /:assignRole$/)).to.equal(0);
  });

  it("readKeyRights tells the scope of the key, and its account's rank and permissions", async () => {
    const { group, owner, staff, member } = newGroup();
    const rights = { hasScope: true, accountId: staff, rank: 100, mayRank: true, rolesBelow: 2 };
    expect(await readKeyRights(group.id)).to.deep.equal(rights);
    sandbox().setKey({ scopes: ['group:read'] });
    expect(await readKeyRights(group.id, { fresh: true })).to.deep.equal({ ...rights, hasScope: false });
    sandbox().setKey({ accountId: member });
    expect(await readKeyRights(group.id, { fresh: true })).to.deep.include({ rank: 1, mayRank: false });
    sandbox().setKey({ accountId: owner });
    expect(await readKeyRights(group.id, { fresh: true })).to.deep.include({ rank: 255, mayRank: true });
    sandbox().setKey({ accountId: '999999999' });
    expect(await readKeyRights(group.id, { fresh: true })).to.deep.include({ rank: 0, mayRank: false });
  });
});

describe('An answer to a write that can not be read', () => {
  useQuiet();

  it('leaves the result unknown', async () => {
    const answers = [
      {},
      { user: 'users/8', roles: ['groups/7/roles/9'] },
      { user: 'users/1', roles: ['groups/8/roles/9'] },
    ];
    const roblox = await startScriptedRoblox((_, response) => sendJson(response, answers.shift()));
    configureRoblox(roblox.config);
    try {
      for (const _ of [1, 2, 3]) {
        const outcome = await assignGroupRole({ groupId: '7', gameUserId: '1', gameRoleId: '9' }, going()).catch(
          (error: unknown) => error,
        );
        expect(outcome).to.be.instanceOf(GamePlatformUnavailable);
      }
      expect(roblox.requests).to.have.length(3);
    } finally {
      await roblox.stop();
    }
  });
});
