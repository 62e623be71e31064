import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { onAccountChanged } from '../../../src/features/accounts/account-changes.js';
import { confirmGoneAccounts } from '../../../src/features/accounts/account-gone.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { refreshNames } from '../../../src/features/accounts/account-names.js';
import { Members } from '../../../src/features/members/member-model.js';
import { clock } from '../../../src/lib/clock.js';
import { readGameGroup } from '../../../src/platforms/roblox/game-groups.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, resync, resyncIn } from '../sync/resync-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  lastSyncOf,
  mapTo,
  rankFrom,
  reconfigureRoblox,
  retryNow,
  rolesOf,
  sync,
  withoutNicknames,
} from '../sync/sync-setup.js';

const { signal } = new AbortController();
const withoutKey = () => {
  const { apiKey: _, ...others } = config().roblox;
  return others;
};
const minute = 60_000;
const inMinutes = (minutes: number) => new Date(clock.epochMs() + minutes * minute);

/** Happens once, between members' marks and their account's change. */
let meanwhile: (() => Promise<void>) | undefined;
onAccountChanged(async () => {
  const happens = meanwhile;
  meanwhile = undefined;
  await happens?.();
});

let roblox: World['roblox'];
let guild: GroupGuild;
let person: TestPerson;
let verified: string;
let officer: string;
let restore: () => void;
const account = () => Accounts.findById(person.chatUserId).lean();

const statuses = async (status: string) =>
  (await guild.api.get(`${guild.path}/members?status=${status}`)).body.data.map(
    ({ memberId }: { memberId: string }) => memberId,
  );

const healthCodes = async () => (await guild.api.get(guild.path)).body.health.map(({ code }: { code: string }) => code);

/** Another server in which their rank gives a role, and how they come to it. */
async function buildAnother() {
  const other = await buildGroupGuild();
  const [verifiedThere = ''] = await mapTo(other, { type: 'verified' });
  const [officerThere = ''] = await mapTo(other, rankFrom(other, 100));
  roblox.setRank(other.groupId, person.gameUserId, 100);
  const { discord } = await world();
  const member = () => Members.findOne({ guildId: other.guildId, chatUserId: person.chatUserId });
  const come = async () => {
    discord.join(other.guildId, person.chatUserId);
    await eventually(async () => (await member())?.syncs.length, 'the sync of joining');
  };
  return { other, verifiedThere, officerThere, member, come };
}

/** Registers hooks: each test gets a guild with a verified officer, read with an API key or without. */
function usePerson(openCloud: boolean): void {
  withPromptSyncs();

  before(async () => {
    ({ roblox } = await world());
  });

  beforeEach(async () => {
    restore = reconfigureRoblox();
    if (!openCloud) configureRoblox(withoutKey());
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    person = await buildSettledMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.have.members([verified, officer]);
  });

  afterEach(() => restore());
}

for (const openCloud of [true, false]) {
  const key = openCloud ? 'with' : 'without';

  describe(`A Roblox account that is gone, ${key} an API key`, () => {
    usePerson(openCloud);

    it('A gone account is no outage, loses nothing by one reading, and has no ranks after the second', async () => {
      roblox.removeUser(person.gameUserId);
      const first = await sync(guild, person);
      expect(first).to.deep.include({ added: [], removed: [] });
      expect(await lastSyncOf(guild, person)).not.to.have.property('error');
      expect(await account()).to.have.property('missingSince');
      await confirmGoneAccounts(inMinutes(4), signal);
      expect(await statuses('linked')).to.deep.equal([person.chatUserId]);
      expect(await rolesOf(guild, person)).to.have.members([verified, officer]);

      await confirmGoneAccounts(inMinutes(6), signal);
      expect(await statuses('account_gone')).to.deep.equal([person.chatUserId]);
      expect(await statuses('linked')).to.deep.equal([]);
      expect(await healthCodes()).to.include('account_gone');
      await retryNow(guild, person);
      expect(await rolesOf(guild, person)).to.deep.equal([verified]);
      expect(await lastSyncOf(guild, person)).to.deep.include({ trigger: 'account', removed: [officer] });
      const { status, body } = await guild.api.get(`${guild.path}/members/${person.chatUserId}`);
      expect(status).to.equal(200);
      expect(body).to.include({ status: 'account_gone', gameUserId: person.gameUserId, unavailable: null });
    });

    /** The account is found gone, and its roles are taken; then the ban ends on Roblox. */
    async function banForAWhile(): Promise<void> {
      roblox.setBanned(person.gameUserId, true);
      await sync(guild, person);
      await confirmGoneAccounts(inMinutes(6), signal);
      await retryNow(guild, person);
      expect(await rolesOf(guild, person)).to.deep.equal([verified]);
      roblox.setBanned(person.gameUserId, false);
    }

    // VER-33
    it('A banned account has its roles back when the ban is over', async () => {
      await banForAWhile();
      await refreshNames(inMinutes(21 * 60), signal);
      expect(await statuses('linked')).to.deep.equal([person.chatUserId]);
      await retryNow(guild, person);
      expect(await rolesOf(guild, person)).to.have.members([verified, officer]);
      expect(await healthCodes()).not.to.include('account_gone');
      const { data } = (await guild.api.get(`${guild.path}/logs?action=member.*`)).body;
      const actions = data.map(({ action }: { action: string }) => action);
      expect(actions).to.include.members(['member.account_gone', 'member.account_back']);
    });

    // VER-33
    it('A sync notices that a gone account is back, and its ranks count again', async () => {
      await banForAWhile();
      await sync(guild, person);
      expect(await rolesOf(guild, person)).to.have.members([verified, officer]);
      expect(await statuses('linked')).to.deep.equal([person.chatUserId]);
    });

    it('An account is not gone when the second reading shows it', async () => {
      roblox.setBanned(person.gameUserId, true);
      await sync(guild, person);
      roblox.setBanned(person.gameUserId, false);
      await confirmGoneAccounts(inMinutes(6), signal);
      expect(await account()).not.to.have.any.keys('missingSince', 'goneSince');
      expect(await sync(guild, person)).to.deep.include({ added: [], removed: [] });
    });

    // VER-34
    it('A gone account loses no roles while Roblox fails', async () => {
      roblox.setBanned(person.gameUserId, true);
      await sync(guild, person);
      await confirmGoneAccounts(inMinutes(6), signal);
      roblox.inject({ match: /roblox\.com/, status: 403 });
      const refused = await sync(guild, person).catch((error: unknown) => error);
      roblox.clearFaults();
      expect(refused).to.have.property('kind', 'unavailable');
      expect(await rolesOf(guild, person)).to.have.members([verified, officer]);
    });

    it('A gone account keeps the roles of a group that Roblox has deleted since its last reading', async () => {
      roblox.removeUser(person.gameUserId);
      await sync(guild, person);
      roblox.removeGroup(guild.groupId);
      await confirmGoneAccounts(inMinutes(6), signal);
      await retryNow(guild, person);
      expect(await statuses('account_gone')).to.deep.equal([person.chatUserId]);
      expect(await rolesOf(guild, person)).to.have.members([verified, officer]);
    });

    it('The daily reading of names notices a gone account too', async () => {
      await withoutNicknames(guild);
      roblox.removeUser(person.gameUserId);
      await refreshNames(inMinutes(21 * 60), signal);
      expect(await account()).to.have.property('missingSince');
      await confirmGoneAccounts(inMinutes(21 * 60 + 6), signal);
      expect(await statuses('account_gone')).to.deep.equal([person.chatUserId]);
    });
  });

  describe(`A gone account in other servers, ${key} an API key`, () => {
    usePerson(openCloud);

    it('A gone account is also gone in servers that its person joins later', async () => {
      const { other, verifiedThere, member, come } = await buildAnother();
      roblox.setBanned(person.gameUserId, true);
      await sync(guild, person);
      await confirmGoneAccounts(inMinutes(6), signal);
      await come();
      expect(await member()).to.have.property('goneSince');
      expect(await rolesOf(other, person)).to.deep.equal([verifiedThere]);
    });

    it('An account is gone, and back, even in a server that its person joins at that moment', async () => {
      const [one, two] = [await buildAnother(), await buildAnother()];
      roblox.setBanned(person.gameUserId, true);
      await sync(guild, person);
      meanwhile = one.come;
      await confirmGoneAccounts(inMinutes(6), signal);
      expect(meanwhile).to.equal(undefined);
      expect(await one.member()).to.have.property('goneSince');
      await retryNow(one.other, person);
      expect(await rolesOf(one.other, person)).to.deep.equal([one.verifiedThere]);

      roblox.setBanned(person.gameUserId, false);
      meanwhile = two.come;
      await refreshNames(inMinutes(21 * 60), signal);
      expect(meanwhile).to.equal(undefined);
      expect(await two.member()).not.to.have.property('goneSince');
      await retryNow(two.other, person);
      expect(await rolesOf(two.other, person)).to.have.members([two.verifiedThere, two.officerThere]);
    });
  });
}

// VER-29, VER-30, VER-31
describe('A resync with an account that is gone', () => {
  withPromptSyncs();
  it('A resync continues for others when one account is gone, and asks Roblox singly for that one only', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 30, inStep: 30 });
    const gone = guild.people[7] ?? (await buildPerson());
    roblox.removeUser(gone.gameUserId);
    roblox.forgetRequests();
    const { jobId } = await resync(guild);
    await resyncIn(guild, jobId, 'completed');
    const single = roblox.requests.filter(({ path }) => /^\/v2\/users\/\d+\/groups/.test(path));
    expect(single.every(({ path }) => path.includes(`/${gone.gameUserId}/`))).to.equal(true);
  });

  it('A resync keeps a gone account’s roles of a group that Roblox has deleted since the last reading', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 30, inStep: 30 });
    const { chatUserId = '' } = guild.people[7] ?? {};
    const held = await rolesOf(guild, { chatUserId });
    expect(held).not.to.deep.equal([]);
    await readGameGroup(guild.groupId);
    roblox.removeGroup(guild.groupId);
    await Members.update({ guildId: guild.guildId, chatUserId }, { $set: { goneSince: clock.now() } });
    const { jobId } = await resync(guild);
    await resyncIn(guild, jobId, 'completed');
    expect(await rolesOf(guild, { chatUserId })).to.deep.equal(held);
  });
});
