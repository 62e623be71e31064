import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { RateLimited } from '../../../src/lib/errors.js';
import { minuteMs } from '../../../src/lib/time.js';
import { readGameGroup } from '../../../src/platforms/roblox/game-groups.js';
import { checkGroup, checkGroups } from '../../../src/platforms/roblox/group-checks.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { closeRoblox } from '../../../src/platforms/roblox/roblox-host.js';
import { expectUnavailable, sendJson, startScriptedRoblox, useQuiet, useRobloxSandbox } from './roblox-setup.js';

const ids = (from: number, count: number): string[] =>
  Array.from({ length: count }, (_, index) => String(900_000_000 + from + index));

describe('A check of named groups', () => {
  const sandbox = useRobloxSandbox();
  const reads = () => sandbox().requests.filter(({ path }) => /\/groups\/\d+$/.test(path)).length;

  afterEach(() => clock.restore());

  it('A check of groups ends after a few unknown ones, and asks for those again only after a minute', async () => {
    const { unknown } = await checkGroups('1', ids(0, 250));
    expect(unknown).to.have.length.within(3, 4);
    expect(reads()).to.be.at.most(4);
    expect((await checkGroups('2', ids(0, 250))).unknown).to.deep.equal(unknown);
    expect(reads(), 'remembered, for every server').to.be.at.most(4);
    clock.advance(minuteMs + 1);
    await checkGroups('1', ids(0, 250));
    expect(reads()).to.be.within(5, 8);
  });

  it('A check of groups forgets that a group is unknown when a later reading finds it', async () => {
    const { id } = sandbox().addGroup({ name: 'Named' });
    expect(await checkGroup('3', id, { fresh: true })).to.include({ groupId: id });
    expect(await checkGroup('3', id)).to.include({ groupId: id });
    expect(reads(), 'known already').to.equal(1);
  });

  it('Each server may check 60 groups a minute, and more are refused with the limit', async () => {
    const groupIds = Array.from({ length: 61 }, () => sandbox().addGroup({ name: 'Named' }).id);
    const error = await checkGroups('4', groupIds).catch((thrown: unknown) => thrown);
    expect(error).to.be.instanceOf(RateLimited);
    expect(String(error)).to.contain('60 Roblox groups within a minute');
    expect(reads()).to.equal(60);
    expect((await checkGroups('5', groupIds.slice(59))).known, 'another server has its own').to.have.length(2);
    clock.advance(minuteMs + 2_000);
    expect((await checkGroups('4', groupIds)).known).to.have.length(61);
    expect(reads(), 'what was read is remembered').to.be.at.most(62);
  });
});

describe('A check of groups with Roblox’s limit nearly used up', () => {
  useQuiet();
  afterEach(() => closeRoblox());

  it('Checks of groups leave the rest of Roblox’s limit to interactive reads', async () => {
    const limits = { 'x-ratelimit-limit': '150', 'x-ratelimit-remaining': '20', 'x-ratelimit-reset': '60' };
    const roblox = await startScriptedRoblox(({ url = '' }, response) => {
      const id = /groups\/(\d+)/.exec(url)?.[1] ?? '';
      const role = { path: `groups/${id}/roles/1`, id: '1', displayName: 'Guest', rank: 0 };
      const body = url.includes('/roles') ? { groupRoles: [role] } : { id, displayName: 'Group', memberCount: 1 };
      sendJson(response, body, 200, limits);
    });
    configureRoblox(roblox.config);
    await readGameGroup('1');
    await expectUnavailable(checkGroup('6', '2'));
    expect(await readGameGroup('3')).to.include({ name: 'Group' });
    await roblox.stop();
  });
});
