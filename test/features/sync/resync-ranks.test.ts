import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { applyChange } from '../../../src/features/sync/resync/resync-change.js';
import type { ResyncChange } from '../../../src/features/sync/resync/resync-change-model.js';
import { RanksNow } from '../../../src/features/sync/resync/resync-ranks.js';
import { readGuildFacts } from '../../../src/platforms/discord/guild-facts.js';
import type { TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { at } from './preview-setup.js';
import { buildResyncGuild, memberWrites, plannedChange, type ResyncGuild, rolesOf } from './resync-setup.js';

const old = () => new Date(Date.now() - 6 * 60_000);

describe('Changes of a resync older than 5 minutes', () => {
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

  /** A change of somebody without roles that gives the member role. */
  const giving = (change: Partial<ResyncChange> = {}, to = person) =>
    plannedChange(guild, to, { add: [guild.memberRole], kind: 'give', asOf: old(), ...change });
  const standingOf = (change: ResyncChange, ahead: ResyncChange[] = []) =>
    new RanksNow(new AbortController().signal).standingOf(guild.guild, change, ahead);
  const apply = async (change: ResyncChange, onlyAsSeen = false) => {
    const { state } = await applyChange(change, {
      facts: await readGuildFacts(guild.guildId),
      heldRoleIds: new Set(),
      cause: { trigger: 'resync', actor: systemActor('test'), jobId: change.jobId },
      lease: { fence: Date.now(), requireHeld: () => undefined },
      onlyAsSeen,
      standing: await standingOf(change),
    });
    return state;
  };
  const isLeftToOwnSync = async (of: TestPerson) =>
    expect((await getMember(guild.guildId, of.chatUserId)).owedSync).to.include({ trigger: 'resync' });

  it('Roblox is asked about an old change in one call with those that come soon, and about a younger one not at all', async () => {
    expect(await standingOf(giving({ asOf: new Date() }))).to.equal(null);
    const ranks = new RanksNow(new AbortController().signal);
    const changes = guild.people.map((of) => giving({}, of));
    const [first, ...ahead] = changes;
    if (first === undefined) throw new Error('nobody is there');
    roblox.forgetRequests();
    await ranks.standingOf(guild.guild, first, ahead);
    const asked = roblox.requests.length;
    for (const change of ahead) {
      const standing = await ranks.standingOf(guild.guild, change, []);
      expect(standing?.ranks?.get(guild.groupId)?.[0]).to.include({ rank: 1 });
    }
    expect(roblox.requests.length).to.equal(asked);
  });

  for (const onlyAsSeen of [false, true]) {
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

  it('An old change is made as the ranks of now say, unless it was shown', async () => {
    for (const { gameUserId } of guild.people) roblox.setRank(guild.groupId, gameUserId, 100);
    expect(await apply(giving())).to.equal('done');
    expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole, guild.officerRole].sort());
    const other = at(guild.people, 2);
    expect(await apply(giving({}, other), true)).to.equal('done');
    expect(await rolesOf(guild, other)).to.deep.equal([guild.memberRole]);
  });

  it('An old change takes nothing that the first plan did not take: that is left to a sync of their own', async () => {
    const member = at(guild.people, 0);
    roblox.leaveGroup(guild.groupId, member.gameUserId);
    const seen = { roleIds: [guild.memberRole], nickname: member.gameUsername };
    expect(await apply(giving({ add: [guild.officerRole], seen }, member))).to.equal('skipped');
    expect(await rolesOf(guild, member)).to.deep.equal([guild.memberRole]);
    await isLeftToOwnSync(member);
  });

  it('An old change is left to a sync of their own when Roblox says nothing about the account', async () => {
    const change = giving();
    const rules = (await standingOf(change))?.rules;
    if (rules === undefined) throw new Error('the change is not old');
    const { state } = await applyChange(change, {
      facts: await readGuildFacts(guild.guildId),
      heldRoleIds: new Set(),
      cause: { trigger: 'resync', actor: systemActor('test'), jobId: change.jobId },
      lease: { fence: Date.now(), requireHeld: () => undefined },
      onlyAsSeen: false,
      standing: { rules, ranks: null, traits: undefined, readAt: new Date() },
    });
    expect(state).to.equal('skipped');
    await isLeftToOwnSync(person);
  });
});
