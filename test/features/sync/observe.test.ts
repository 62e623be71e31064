import { expect } from 'chai';
import sinon from 'sinon';
import { systemActor } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { latestResync, startResync } from '../../../src/features/sync/resync/resync-service.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { storedDifference } from '../../support/differences.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  memberWrites,
  pendingSyncOf,
  rankFrom,
  setSettings,
  sync,
} from './sync-setup.js';

describe('Observe mode', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let officer: string;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    await setSettings(guild, { mode: 'observe', nickname: { ...defaultSettings.nickname, enabled: false } });
    [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
  });

  const differenceOf = async ({ chatUserId }: TestPerson) =>
    (await findMember(guild.guildId, chatUserId))?.differs && storedDifference(guild.guildId, chatUserId);

  /** A person with a rank in the group. */
  async function member(rank: number): Promise<TestPerson> {
    const person = await buildPerson();
    roblox.setRank(guild.groupId, person.gameUserId, rank);
    await buildMember(guild, { person });
    await eventually(async () => {
      const stored = await findMember(guild.guildId, person.chatUserId);
      return stored?.wentBy?.gameUserId === person.gameUserId && stored.owedSync === undefined;
    }, 'the sync');
    return person;
  }

  async function resynced(): Promise<void> {
    const { job } = await startResync(guild.guild, systemActor('test'));
    await eventually(async () => {
      const latest = await latestResync(guild.guildId);
      return latest?._id === job._id && latest.state === 'completed' ? latest : null;
    }, 'the resync');
  }

  // OBS-5
  it('A member about to gain a role keeps the difference and its reason, and nothing is written', async () => {
    await listen(guild);
    const person = await member(100);
    const { since, ...difference } = (await differenceOf(person)) ?? {};
    expect(difference).to.deep.equal({
      add: [officer],
      remove: [],
      reasons: [{ roleId: officer, code: 'meets_rule', groupId: guild.groupId, gameRole: 'Officer' }],
    });
    expect(since).to.be.instanceOf(Date);
    expect(await memberWrites(guild)).to.deep.equal([]);
    expect((await findMember(guild.guildId, person.chatUserId))?.syncs).to.deep.equal([]);
    expect(await dataOf(guild, 'role.synced')).to.deep.equal([]);
  });

  // OBS-7
  it('A sync that doubts the account keeps the known difference, and is tried again', async () => {
    await setSettings(guild, { mode: 'observe' });
    const person = await member(100);
    const known = await differenceOf(person);
    expect(known?.add).to.deep.equal([officer]);
    roblox.setBanned(person.gameUserId, true);
    await sync(guild, person);
    expect(await differenceOf(person)).to.deep.equal(known);
    expect(await pendingSyncOf(guild, person)).to.include({ attempts: 1 });
  });

  // OBS-4, OBS-9
  it('A difference keeps its time while it stays the same, by syncs and by resyncs, and goes when it is over', async () => {
    const person = await member(100);
    const first = await differenceOf(person);
    expect(await sync(guild, person)).to.include({ observed: true });
    await resynced();
    expect(await differenceOf(person)).to.deep.equal(first);

    roblox.setRank(guild.groupId, person.gameUserId, 1);
    await sync(guild, person);
    expect(await differenceOf(person)).to.equal(undefined);

    discord.setMemberRoles(guild.guildId, person.chatUserId, [officer]);
    await eventually(
      async () => {
        await runPendingSyncs(guild.guildId);
        return (await differenceOf(person))?.remove.length === 1;
      },
      'the other bot is noticed',
      20_000,
    );
    expect((await differenceOf(person))?.reasons).to.deep.equal([
      { roleId: officer, code: 'misses_rule', groupId: guild.groupId, gameRole: 'Member' },
    ]);
    expect(await memberWrites(guild)).to.deep.equal([]);
  });

  // OBS-3
  it('A sync that ends before the member’s flag shows no difference, and the next one shows it', async () => {
    const person = await member(1);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    const { collection } = Members.acrossGuilds;
    const write = collection.updateOne.bind(collection);
    sinon.stub(collection, 'updateOne').callsFake((which, change, options) => {
      if (JSON.stringify(change).includes('"differs":true')) throw new Error('killed');
      return write(which, change, options);
    });
    await sync(guild, person).catch((error: unknown) => expect(error).to.include({ message: 'killed' }));
    sinon.restore();
    const shown = async () => (await guild.api.get(`${guild.path}/differences`)).body.data.length;
    expect([(await storedDifference(guild.guildId, person.chatUserId))?.add, await shown()]).to.deep.equal([
      [officer],
      0,
    ]);
    await sync(guild, person);
    expect(await shown()).to.equal(1);
  });

  // OBS-6
  it('A resync finds everyone’s differences and changes no one', async () => {
    const [gains, loses] = [await member(1), await member(100)];
    discord.setMemberRoles(guild.guildId, loses.chatUserId, [officer]);
    roblox.setRank(guild.groupId, gains.gameUserId, 100);
    roblox.setRank(guild.groupId, loses.gameUserId, 1);
    await resynced();
    expect(await latestResync(guild.guildId)).to.deep.include({
      applied: { changed: 0, skipped: 0, failed: 0, blocked: 0, lost: 0 },
    });
    expect([(await differenceOf(gains))?.add, (await differenceOf(loses))?.remove]).to.deep.equal([
      [officer],
      [officer],
    ]);

    roblox.setRank(guild.groupId, loses.gameUserId, 100);
    await resynced();
    expect(await differenceOf(loses)).to.equal(undefined);
    expect(await memberWrites(guild)).to.deep.equal([]);
  });

  // OBS-11
  it('The log reports once a day how many match, and how many would gain and lose', async () => {
    await member(100);
    await resynced();
    await resynced();
    const entries = async () =>
      (await guild.api.get(`${guild.path}/logs?action=guild.observed`)).body.data as { changes: object }[];
    await eventually(async () => (await entries()).length > 0, 'the entry');
    const [entry, ...more] = await entries();
    expect(entry?.changes).to.deep.include({ gaining: { from: null, to: 1 }, losing: { from: null, to: 0 } });
    expect(more).to.deep.equal([]);
  });

  // OBS-6
  it('A resync that is under way stops changing members when the guild begins to observe', async () => {
    await setSettings(guild, { nickname: { ...defaultSettings.nickname, enabled: false } });
    const person = await buildSettledMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    discord.forgetRequests();
    const write = discord.hold({ match: new RegExp(`^GET .*${guild.guildId}/members`), times: 1 });
    const { job } = await startResync(guild.guild, systemActor('test'));
    await write.reached;
    await setSettings(guild, { mode: 'observe', nickname: { ...defaultSettings.nickname, enabled: false } });
    write.letGo();
    await eventually(async () => {
      const latest = await latestResync(guild.guildId);
      return latest?._id === job._id && latest.state === 'completed';
    }, 'the resync');
    expect(discord.member(guild.guildId, person.chatUserId)?.roleIds).to.deep.equal([]);
    expect(await memberWrites(guild)).to.deep.equal([]);
  });
});
