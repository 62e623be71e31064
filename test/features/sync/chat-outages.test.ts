import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  lastSyncOf,
  mapTo,
  memberWrites,
  pendingSyncOf,
  refusal,
  retryNow,
  rolesOf,
  setSettings,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// RESYNC-18, RESYNC-19
describe('Syncs while Discord fails', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let roleIds: string[];

  before(async () => {
    ({ discord } = await world());
  });
  afterEach(() => discord.clearFaults());

  /** A person with this many due roles. */
  async function owing(roles: number): Promise<void> {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    roleIds = await mapTo(guild, { type: 'verified' }, { roles });
    person = await buildSettledMember(guild, { linked: false });
    await linkPerson(guild.guildId, person);
    discord.forgetRequests();
  }

  const writes = { 1: /^PUT .*\/members\/\d+\/roles\//, 2: /^PATCH .*\/members\/\d+$/ };
  const outages = {
    'drops the write': { dropSocket: true },
    'makes the change and then answers 502': { status: 502, when: 'after' },
    'makes the change and then drops the connection': { dropSocket: true, when: 'after' },
  } as const;
  const outagesOf = { 1: { ...outages, 'answers the write with 500': { status: 500 } }, 2: outages } as const;
  for (const roles of [1, 2] as const) {
    for (const [outage, fault] of Object.entries(outagesOf[roles])) {
      it(`A sync stays pending for its uncertain part when Discord ${outage} (${roles} roles), and is completed automatically`, async () => {
        await owing(roles);
        discord.inject({ match: writes[roles], ...fault });
        expect(await refusal(sync(guild, person))).to.include({ code: 'chat_platform_unavailable' });
        expect(await rolesOf(guild, person)).to.have.members('when' in fault ? roleIds : []);
        expect(await lastSyncOf(guild, person)).to.deep.include({ added: [], error: 'chat_platform_unavailable' });
        expect(await pendingSyncOf(guild, person)).to.include({ attempts: 1 });

        discord.clearFaults();
        discord.forgetRequests();
        await retryNow(guild, person);
        expect(await rolesOf(guild, person)).to.have.members(roleIds);
        expect(await memberWrites(guild)).to.have.length('when' in fault ? 0 : 1);
        expect(await pendingSyncOf(guild, person)).to.equal(undefined);
      });
    }
  }

  it('A write to Discord that failed only once is repeated immediately', async () => {
    await owing(1);
    discord.inject({ match: writes[1], status: 503, times: 1 });
    expect((await sync(guild, person)).added).to.deep.equal(roleIds);
    expect(await memberWrites(guild)).to.have.length(2);
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
  });

  it('A sync waits for the time of Discord’s 429', async () => {
    await owing(1);
    discord.inject({ match: writes[1], status: 429, retryAfter: 0.5, times: 1 });
    const began = performance.now();
    expect((await sync(guild, person)).added).to.deep.equal(roleIds);
    expect(performance.now() - began).to.be.greaterThan(450);
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
  });

  it('A sync plans nothing while the member cannot be read from Discord', async () => {
    await owing(1);
    discord.inject({ match: /^GET .*\/members\/\d+$/, status: 500 });
    expect(await refusal(sync(guild, person))).to.include({ code: 'chat_platform_unavailable' });
    expect(await memberWrites(guild)).to.deep.equal([]);
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ present: true, state: 'linked' });
    discord.clearFaults();
    await retryNow(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
  });

  it('A sync is retried when Discord refuses for a reason outside the plan', async () => {
    await owing(1);
    // For example a server that requires two-factor authentication from its managers.
    discord.inject({ match: writes[1], status: 403 });
    expect(await refusal(sync(guild, person))).to.include({ code: 'chat_platform_unavailable' });
    expect(await memberWrites(guild)).to.have.length(2);
    expect(await pendingSyncOf(guild, person)).to.include({ attempts: 1 });
    discord.clearFaults();
    await retryNow(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
  });

  it('Unlinking takes the roles away as soon as Discord can be reached', async () => {
    await owing(1);
    await sync(guild, person);
    discord.inject({ match: /^DELETE .*\/roles\//, status: 500 });
    await unlinkMember(guild.guild, person.chatUserId, chatUser(guild.ownerId, 'Ann'));
    await eventually(async () => (await pendingSyncOf(guild, person))?.attempts === 1, 'the failure');
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
    discord.clearFaults();
    await retryNow(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    expect(await lastSyncOf(guild, person)).to.deep.include({ trigger: 'unlink', removed: roleIds });
  });

  it('Unlinking takes back a nickname that was given although Discord’s answer never came', async () => {
    await owing(1);
    await setSettings(guild, {});
    discord.inject({ match: writes[2], dropSocket: true, when: 'after' });
    await refusal(sync(guild, person));
    discord.clearFaults();
    await retryNow(guild, person);
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(person.gameUsername);
    await unlinkMember(guild.guild, person.chatUserId, chatUser(guild.ownerId, 'Ann'));
    await eventually(() => discord.member(guild.guildId, person.chatUserId)?.nickname === null, 'the nickname');
  });
});
