import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { Members } from '../../../src/features/members/member-model.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { GuildRanks } from '../../../src/features/sync/plan/guild-ranks.js';
import { readWholeRules } from '../../../src/features/sync/plan/guild-rules.js';
import type { PlannedChange } from '../../../src/features/sync/plan/planned-change-model.js';
import { applyChange } from '../../../src/features/sync/resync/resync-change.js';
import { type GuildReading, ReadingsNow } from '../../../src/features/sync/resync/resync-ranks.js';
import type { TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { at } from './preview-setup.js';
import { buildResyncGuild, memberWrites, plannedChange, type ResyncGuild, rolesOf } from './resync-setup.js';

const old = () => new Date(Date.now() - 6 * 60_000);

// RESYNC-12
describe('Changes of a resync, which are planned again', () => {
  let roblox: World['roblox'];
  let guild: ResyncGuild;
  let person: TestPerson;

  before(async () => {
    ({ roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildResyncGuild({ count: 3, inStep: 1 });
    person = at(guild.people, 1);
  });

  /** A change to a person without roles that gives the member role. */
  const giving = (change: Partial<PlannedChange> = {}, to = person) =>
    plannedChange(guild, to, { expected: { add: [guild.memberRole] }, kind: 'give', asOf: old(), ...change });
  const { signal } = new AbortController();
  const apply = async (change: PlannedChange, onlyAsSeen = false, planned?: GuildReading) => {
    const { state } = await applyChange(change, {
      guild: guild.guild,
      cause: { trigger: 'resync', actor: systemActor('test'), jobId: change.planId },
      onlyAsSeen,
      reading: await new ReadingsNow(signal, planned).of(guild.guild, change, []),
    });
    return state;
  };
  /** The readings that a resync plans with, before anybody was read. */
  const planning = async (): Promise<GuildReading> => {
    const rules = await readWholeRules(guild.guild);
    return { rules, ranks: new GuildRanks(rules.groupIds, signal), readAt: new Date() };
  };
  const isLeftToOwnSync = async (of: TestPerson) =>
    expect((await getMember(guild.guildId, of.chatUserId)).owedSync).to.include({ trigger: 'resync' });

  it('Roblox is asked about an old change in one call with those that come soon, and about a younger one not at all', async () => {
    const planned = await planning();
    await planned.ranks.read([person.gameUserId]);
    roblox.forgetRequests();
    expect(await apply(giving({ asOf: new Date() }), false, planned)).to.equal('done');
    expect(roblox.requests).to.deep.equal([]);
    const readings = new ReadingsNow(signal, { ...planned, readAt: old() });
    const changes = guild.people.map((of) => giving({}, of));
    const [first, ...ahead] = changes;
    if (first === undefined) throw new Error('nobody is there');
    await readings.of(guild.guild, first, ahead);
    const asked = roblox.requests.length;
    expect(roblox.requests.filter(({ path }) => path.includes('memberships'))).to.have.lengthOf(1);
    for (const { gameUserId } of guild.people) {
      expect(readings.reading?.ranks.of(gameUserId)?.get(guild.groupId)?.[0]).to.include({ rank: 1 });
    }
    for (const change of ahead) await readings.of(guild.guild, change, []);
    expect(roblox.requests.length).to.equal(asked);
  });

  for (const onlyAsSeen of [false, true]) {
    it(`A young change is skipped when it would not be planned any more (${onlyAsSeen ? 'as shown' : 'as planned'})`, async () => {
      roblox.leaveGroup(guild.groupId, person.gameUserId);
      expect(await apply(giving({ asOf: new Date() }), onlyAsSeen)).to.equal('skipped');
      expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    });

    it(`An old change is skipped when it would not be planned any more (${onlyAsSeen ? 'as shown' : 'as planned'})`, async () => {
      roblox.leaveGroup(guild.groupId, person.gameUserId);
      expect(await apply(giving(), onlyAsSeen)).to.equal('skipped');
      expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    });

    it(`An old change is made while it would still be planned (${onlyAsSeen ? 'as shown' : 'as planned'})`, async () => {
      expect(await apply(giving(), onlyAsSeen)).to.equal('done');
      expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
    });
  }

  // RESYNC-13
  it('An old change is made by the current ranks, unless it was shown', async () => {
    for (const { gameUserId } of guild.people) roblox.setRank(guild.groupId, gameUserId, 100);
    expect(await apply(giving())).to.equal('done');
    expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole, guild.officerRole].sort());
    const other = at(guild.people, 2);
    expect(await apply(giving({}, other), true)).to.equal('done');
    expect(await rolesOf(guild, other)).to.deep.equal([guild.memberRole]);
  });

  // RESYNC-13
  it('An old change takes nothing that the first plan did not take: that is left to a sync of their own', async () => {
    const member = at(guild.people, 0);
    roblox.leaveGroup(guild.groupId, member.gameUserId);
    const seen = { roleIds: [guild.memberRole], nickname: member.gameUsername };
    expect(await apply(giving({ expected: { add: [guild.officerRole], remove: [] }, seen }, member))).to.equal(
      'skipped',
    );
    expect(await rolesOf(guild, member)).to.deep.equal([guild.memberRole]);
    await isLeftToOwnSync(member);
  });

  it('A change that Discord refuses is noted as refused, and the member’s pending sync stays', async () => {
    const { discord } = await world();
    const { chatUserId } = person;
    const pendingSync = {
      id: 'another',
      trigger: 'rank_change',
      dueAt: new Date(Date.now() + 60_000),
      attempts: 0,
    } as const;
    await Members.update({ guildId: guild.guildId, chatUserId }, { $set: { owedSync: pendingSync } });
    discord.inject({ match: new RegExp(`^PUT .*/members/${chatUserId}/`), status: 403, code: 50_013 });
    expect(await apply(giving()).finally(() => discord.clearFaults())).to.equal('skipped');
    const { refused, owedSync: left } = await getMember(guild.guildId, chatUserId);
    expect(refused).to.have.lengthOf(1);
    expect(left).to.deep.equal(pendingSync);
  });

  it('An old change is left to a sync of their own when Roblox returns nothing about the account', async () => {
    const silent = await planning();
    silent.ranks.read = async () => undefined;
    expect(await apply(giving(), false, silent)).to.equal('skipped');
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    await isLeftToOwnSync(person);
  });
});
