import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import type { FactValue } from '../../../src/features/mappings/reported-facts.js';
import { Members } from '../../../src/features/members/member-model.js';
import { clock } from '../../../src/lib/clock.js';
import { privateWords } from '../../commands/private-answer.js';
import { type Api, api } from '../../support/api.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildMember, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildDiscordAdmin } from '../team/team-setup.js';
import { resync } from './resync-setup.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  lastSyncOf,
  mapTo,
  pendingSyncOf,
  rankFrom,
  rolesOf,
  setSettings,
  withoutNicknames,
} from './sync-setup.js';

const levelFrom = (atLeast: number) => ({ type: 'fact', key: 'level', atLeast }) as const;

// FACT-10
describe('Mappings of facts that a game reports', () => {
  let world_: World;
  let guild: GroupGuild;
  let person: TestPerson;

  beforeEach(async () => {
    world_ = await world();
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    person = await buildSettledMember(guild);
  });

  const report = async (facts: Record<string, FactValue | null>, { gameUserId } = person, caller: Api = guild.api) => {
    const { status } = await caller.put(`${guild.path}/facts`, { people: [{ gameUserId, facts }] });
    expect(status).to.equal(200);
  };
  const rolesAfter = async (facts: Record<string, FactValue | null>, of = person) => {
    await report(facts, of);
    await runPendingSyncs(guild.guildId);
    return (await rolesOf(guild, of)) ?? [];
  };

  // FACT-6, FACT-8
  it('A reported fact gives its role, and takes it when it no longer meets the condition', async () => {
    const [role = ''] = await mapTo(guild, levelFrom(10));
    expect(await rolesAfter({ level: 9 })).to.deep.equal([]);
    expect(await rolesAfter({ level: 10 })).to.deep.equal([role]);
    expect(await lastSyncOf(guild, person)).to.deep.include({ trigger: 'fact', added: [role] });
    expect(await rolesAfter({ level: 9.5 })).to.deep.equal([]);
  });

  it('A fact that nobody has reported gives nothing and takes nothing', async () => {
    const [role = ''] = await mapTo(guild, levelFrom(10));
    const [outside = ''] = await mapTo(guild, { type: 'not', of: levelFrom(10) });
    world_.discord.setMemberRoles(guild.guildId, person.chatUserId, [role]);
    await resync(guild);
    expect(await rolesOf(guild, person)).to.deep.equal([role]);
    expect(await rolesAfter({ level: 1 })).to.deep.equal([outside]);
    expect(await rolesAfter({ level: 12 })).to.deep.equal([role]);
    expect(await rolesAfter({ level: null }), 'removed, so unknown').to.deep.equal([role]);
    await guild.api.delete(`${guild.path}/members/${person.chatUserId}/link`);
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, person), 'an unlinked person has no fact').to.deep.equal([outside]);
  });

  it('Exact values are met by the same value alone, and numbers by no text', async () => {
    const [pass = ''] = await mapTo(guild, { type: 'fact', key: 'owns_pass', is: true });
    const [clan = ''] = await mapTo(guild, { type: 'fact', key: 'clan', is: 'Red' });
    const [range = ''] = await mapTo(guild, { type: 'fact', key: 'level', atLeast: 0, atMost: 20 });
    expect(await rolesAfter({ owns_pass: 'true', clan: 'red', level: '12' })).to.deep.equal([]);
    expect(await rolesAfter({ owns_pass: true, clan: 'Red', level: 20 })).to.have.members([pass, clan, range]);
    expect(await rolesAfter({ owns_pass: 1, clan: true, level: 21 })).to.deep.equal([]);
  });

  // FACT-11
  it('Only a fact that a mapping names, and whose answer changes, makes a sync pending', async () => {
    await mapTo(guild, levelFrom(10));
    await report({ coins: 5, clan: 'Red' });
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    await rolesAfter({ level: 12 });
    await report({ level: 13 });
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    const { guildId } = guild;
    const { chatUserId } = person;
    await Members.update({ guildId, chatUserId }, { $set: { present: false } });
    await report({ level: 1 });
    expect(await pendingSyncOf(guild, person), 'a person who left').to.equal(undefined);
  });

  it('A preview, a resync and a single sync agree about people with different facts', async () => {
    const people = [person, ...(await Promise.all([1, 2, 3].map(() => buildSettledMember(guild))))];
    const levels = [12, 9, undefined, 12];
    for (const [index, each] of people.entries()) {
      const level = levels[index];
      if (level !== undefined) await report({ level }, each);
    }
    const [role = ''] = await mapTo(guild, levelFrom(10));
    const { body } = await guild.api.post(`${guild.path}/sync/preview`, {});
    const due = body.members.map(({ memberId }: { memberId: string }) => memberId);
    const expected = people.filter((_, index) => levels[index] === 12).map(({ chatUserId }) => chatUserId);
    expect(due).to.have.members(expected);
    const { body: mappings } = await guild.api.get(`${guild.path}/mappings`);
    expect(mappings.data[0].people).to.include({ matching: 2, holding: 0 });
    await resync(guild);
    for (const [index, each] of people.entries())
      expect(await rolesOf(guild, each), `person ${index}`).to.deep.equal(levels[index] === 12 ? [role] : []);
    const { body: again } = await guild.api.post(`${guild.path}/sync/preview`, {});
    expect(again.members).to.deep.equal([]);
  });

  it('An observing server notes the change that a fact would make', async () => {
    const [role = ''] = await mapTo(guild, levelFrom(10));
    await setSettings(guild, { mode: 'observe' });
    expect(await rolesAfter({ level: 12 })).to.deep.equal([]);
    const { body } = await guild.api.get(`${guild.path}/differences`);
    expect(body.data.map(({ add }: { add: string[] }) => add)).to.deep.equal([[role]]);
  });

  // FACT-12
  it('Why and the member page show the facts with their age, and the words name an unknown one', async () => {
    await mapTo(guild, { type: 'all', of: [levelFrom(10), { type: 'fact', key: 'clan', is: 'Red' }] });
    await report({ level: 12 });
    const { body } = await guild.api.get(`${guild.path}/members/${person.chatUserId}/why`);
    expect(body.facts).to.have.length(1);
    expect(body.facts[0]).to.include({ key: 'level', value: 12 });
    expect(body.mappings[0]).to.deep.include({
      verdict: 'undecided',
      parts: [
        { path: 'of.0', met: true },
        { path: 'of.1', met: null },
      ],
    });
    const member = person.chatUserId;
    const words = await privateWords(world_.discord.command(guild.guildId, guild.ownerId, 'why', { member }));
    expect(words).to.match(/your game has reported level: 12, <t:\d+:R>/);
    expect(words).to.include('your game has not reported clan yet');
    expect(words).to.include('the fact level is at least 10 and the fact clan is “Red”');
  });

  // FACT-14, AUTH-61
  it('Facts give and take only roles below their author, and never dangerous ones', async () => {
    const low = await addRole(guild, { name: 'Low' });
    const admin = await buildDiscordAdmin(guild);
    const high = await addRole(guild, { name: 'High' });
    const boss = world_.discord.addRole(guild.guildId, {
      name: 'Boss',
      permissions: PermissionFlagsBits.BanMembers,
    }).id;
    for (const [index, roleId] of [low, admin.roleId, high, boss].entries())
      world_.discord.moveRole(guild.guildId, roleId, index + 1);
    await mapTo(guild, levelFrom(10), { roleIds: [low, high, boss] });
    const made = await admin.api.post(`${guild.path}/tokens`, { name: 'game', role: 'manager' });
    const byAdmin = api(made.body.token);
    const rolesBy = async (level: number, caller: Api) => {
      await report({ level }, person, caller);
      await runPendingSyncs(guild.guildId);
      return rolesOf(guild, person);
    };
    expect(await rolesBy(12, byAdmin)).to.deep.equal([low]);
    const { body } = await guild.api.get(`${guild.path}/members/${person.chatUserId}`);
    expect(body.blocked.map(({ roleId, reason }: Record<string, string>) => [roleId, reason])).to.have.deep.members([
      [high, 'beyond_word'],
      [boss, 'beyond_word'],
    ]);
    expect(await rolesBy(12, guild.api), 'the same word from above').to.have.members([low, high]);
    expect(await rolesBy(1, byAdmin), 'not taken by a word from below').to.deep.equal([high]);
    expect(await rolesBy(1, guild.api)).to.deep.equal([]);
    world_.roblox.setRank(guild.groupId, person.gameUserId, 100);
    await mapTo(guild, rankFrom(guild, 100), { roleIds: [high] });
    expect(await rolesBy(2, byAdmin), 'another mapping gives it').to.deep.equal([high]);
  });

  // FACT-10, FACT-14
  it('A gone account loses the role of a fact, though the last word about it came from below', async () => {
    const admin = await buildDiscordAdmin(guild);
    const high = await addRole(guild, { name: 'High' });
    for (const [index, roleId] of [admin.roleId, high].entries())
      world_.discord.moveRole(guild.guildId, roleId, index + 1);
    await mapTo(guild, levelFrom(10), { roleIds: [high] });
    expect(await rolesAfter({ level: 12 })).to.deep.equal([high]);
    const { body } = await admin.api.post(`${guild.path}/tokens`, { name: 'game', role: 'manager' });
    await report({ level: 1 }, person, api(body.token));
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, person)).to.deep.equal([high]);

    world_.roblox.setBanned(person.gameUserId, true);
    const { guildId } = guild;
    const { chatUserId } = person;
    await Members.update({ guildId, chatUserId }, { $set: { goneSince: clock.now() } });
    await resync(guild);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    const { body: member } = await guild.api.get(`${guild.path}/members/${chatUserId}`);
    expect(member.blocked).to.deep.equal([]);
  });

  it('A person who leaves and comes back has the role of their fact', async () => {
    const [role = ''] = await mapTo(guild, levelFrom(10));
    expect(await rolesAfter({ level: 12 })).to.deep.equal([role]);
    world_.discord.leave(guild.guildId, person.chatUserId);
    await eventually(
      async () => (await Members.findOne({ guildId: guild.guildId, chatUserId: person.chatUserId }))?.present === false,
      'the leaving',
    );
    const back = await buildMember(guild, { person, linked: false });
    await resync(guild);
    expect(await rolesOf(guild, back)).to.deep.equal([role]);
  });
});
