import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { config } from '../../../src/config/config.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { noRestrictions, type Restrictions } from '../../../src/core/settings/restrictions.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { privateWords } from '../../commands/private-answer.js';
import type { DiscordSandbox } from '../../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../../sandbox/roblox/roblox-sandbox.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildResyncGuild, resyncWhere } from './resync-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  reconfigureRoblox,
  refusal,
  retryNow,
  rolesOf,
  setSettings,
  sync,
} from './sync-setup.js';

// RESTR-2, RESTR-6, RESTR-9
describe('Restrictions', () => {
  withPromptSyncs();
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let guild: GroupGuild;
  let person: TestPerson;
  let roleId: string;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    [roleId = ''] = await mapTo(guild, { type: 'verified' });
    person = await buildSettledMember(guild);
    await sync(guild, person);
    reconfigureRoblox();
  });
  afterEach(() => {
    roblox.clearFaults();
    clock.restore();
    configureRoblox(config().roblox);
  });

  const restrict = (wish: Partial<Restrictions>) => {
    const nickname = { ...defaultSettings.nickname, enabled: false };
    return setSettings(guild, { nickname, restrictions: { ...noRestrictions, ...wish } });
  };
  const mayKick = () => {
    const { id, permissions } = discord.botRole(guild.guildId);
    discord.updateRole(guild.guildId, id, { permissions: permissions | PermissionFlagsBits.KickMembers });
    return eventually(async () => {
      const { body } = await guild.api.get(guild.path);
      return body.botPermissions.includes('KickMembers');
    }, 'the permission');
  };
  const isThere = () => discord.member(guild.guildId, person.chatUserId) !== undefined;
  const health = async () => {
    const { body } = await guild.api.get(guild.path);
    return body.health.map(({ code }: { code: string }) => code);
  };

  for (const [rule, wish] of Object.entries({
    'an account that is too young': () => ({ minimumAccountAgeDays: 3_000 }),
    'who is outside of a group': () => ({ requiredGroupIds: [guild.groupId] }),
    'who is in a denied group': () => ({ deniedGroupIds: [guild.groupId] }),
    'a denied account': () => ({ deniedGameUserIds: [person.gameUserId] }),
  })) {
    it(`Restrictions refuse roles to ${rule}, and give them back when that ends`, async () => {
      if (rule === 'who is in a denied group') roblox.setRank(guild.groupId, person.gameUserId, 1);
      await restrict({ ...wish(), reason: 'Ask our team.' });
      const { restriction } = await sync(guild, person);
      expect(restriction).to.be.a('string');
      expect(await rolesOf(guild, person)).to.deep.equal([]);
      await restrict({});
      await sync(guild, person);
      expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    });
  }

  // RESTR-13
  it('Restrictions explain the reason to the person, in the words of the server, and to the team over the API', async () => {
    await restrict({ minimumAccountAgeDays: 3_000, reason: 'Ask **our** team.' });
    const ask = (command: string) => privateWords(discord.command(guild.guildId, person.chatUserId, command));
    for (const command of ['update', 'why']) {
      expect(await ask(command), command)
        .to.contain('at least 3,000 days old. Ask')
        .and.contain('our');
    }
    const { body } = await guild.api.get(`${guild.path}/members/${person.chatUserId}/why`);
    expect(body.restriction).to.equal('account_age');
  });

  it('Restrictions neither take nor give roles while the age of the account is not known', async () => {
    await Accounts.updateOne({ _id: person.chatUserId }, { $unset: { gameCreatedAt: 1 } });
    roblox.inject({ match: /^GET apis\..*\/users\/\d+$/, status: 404 });
    await restrict({ minimumAccountAgeDays: 3_000 });
    await sync(guild, person);
    expect(await rolesOf(guild, person), 'nothing is taken').to.deep.equal([roleId]);
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    await sync(guild, person);
    expect(await rolesOf(guild, person), 'nothing is given').to.deep.equal([]);
  });

  // RESTR-5
  it('Restrictions leave people alone that may keep their roles', async () => {
    const bypass = discord.addRole(guild.guildId, { name: 'Guest' }).id;
    discord.setMemberRoles(guild.guildId, person.chatUserId, [bypass, roleId]);
    const restrictions = { ...noRestrictions, action: 'kick' as const, minimumAccountAgeDays: 3_000 };
    await setSettings(guild, { bypass: { keepRoles: [bypass], keepNickname: [bypass] }, restrictions });
    await mayKick();
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.have.members([bypass, roleId]);
  });

  it('Restrictions kick a person where that is chosen and permitted, and inform the person and the log', async () => {
    await mayKick();
    await restrict({ action: 'kick', deniedGameUserIds: [person.gameUserId], reason: 'You know why.' });
    const result = await sync(guild, person);
    expect(result).to.deep.include({ kicked: true, restriction: 'denied_user' });
    expect(isThere()).to.equal(false);
    expect(discord.directMessages(person.chatUserId).at(-1)?.content).to.contain('You know why.');
    const [entry] = (await latestEntries(guild.guildId, 10)).filter(({ action }) => action === 'member.kicked');
    expect(entry?.changes).to.deep.equal({ reason: { from: null, to: 'denied_user' } });
  });

  it('A kick with a lost answer is logged once', async () => {
    await mayKick();
    await restrict({ action: 'kick', deniedGameUserIds: [person.gameUserId] });
    discord.inject({ match: /^DELETE .*\/members\/\d+$/, dropSocket: true, when: 'after' });
    expect((await refusal(sync(guild, person))).kind).to.equal('unavailable');
    discord.clearFaults();
    expect(isThere()).to.equal(false);
    await retryNow(guild, person);
    const kicks = (await latestEntries(guild.guildId, 10)).filter(({ action }) => action === 'member.kicked');
    expect(kicks).to.have.length(1);
    expect(kicks[0]?.actor).to.include({ kind: 'system', id: 'test' });
  });

  // RESTR-10
  it('A person joining again before their kick is stored is known to be back, and gets their role', async () => {
    await mayKick();
    await restrict({ action: 'kick', deniedGameUserIds: [person.gameUserId] });
    const letGo = discord.inject({ match: /^DELETE .*\/members\/\d+$/, held: true, when: 'after', times: 1 });
    const kick = sync(guild, person);
    const stored = () => findMember(guild.guildId, person.chatUserId);
    await eventually(async () => (await stored())?.present === false, 'their leaving');
    await restrict({});
    discord.join(guild.guildId, person.chatUserId);
    await eventually(async () => (await stored())?.present === true, 'their coming');
    letGo();
    expect(await kick).to.include({ kicked: true });
    expect(await stored()).to.include({ present: true });
    await eventually(async () => (await rolesOf(guild, person))?.includes(roleId), 'their role');
    expect(await stored()).not.to.have.property('kicking');
  });

  // RESTR-13
  it('Restrictions withhold roles when the bot may not kick, which the health reports', async () => {
    await restrict({ action: 'kick', deniedGameUserIds: [person.gameUserId] });
    await sync(guild, person);
    expect([isThere(), await rolesOf(guild, person)]).to.deep.equal([true, []]);
    expect(await health()).to.include('missing_kick_members');
    await mayKick();
    expect(await health()).not.to.include('missing_kick_members');
  });

  // RESTR-1
  it('Restrictions leave a person without a link to the mappings', async () => {
    const [guest = ''] = await mapTo(guild, { type: 'unverified' });
    await mayKick();
    await restrict({ action: 'kick', minimumAccountAgeDays: 3_000, requiredGroupIds: [guild.groupId] });
    const stranger = await buildSettledMember(guild, { linked: false });
    expect(await sync(guild, stranger)).to.include({ restriction: null });
    expect(await rolesOf(guild, stranger)).to.deep.equal([guest]);
  });

  // RESTR-7
  it('Restrictions keep a person with a gone account in the server, without roles', async () => {
    await mayKick();
    roblox.setBanned(person.gameUserId, true);
    await Members.update(
      { guildId: guild.guildId, chatUserId: person.chatUserId },
      { $set: { goneSince: clock.now() } },
    );
    await restrict({ action: 'kick', deniedGameUserIds: [person.gameUserId] });
    await sync(guild, person);
    expect([isThere(), await rolesOf(guild, person)]).to.deep.equal([true, []]);
  });

  // RESTR-8
  it('Restrictions kick nobody whom one interface of Roblox still shows in the required group', async () => {
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    await mayKick();
    await restrict({ action: 'kick', requiredGroupIds: [guild.groupId] });
    const mend = roblox.inject({ match: /^GET apis\.roblox\.com\/cloud\/v2\/groups\/-/, corrupt: 'empty_data' });
    expect(await refusal(sync(guild, person))).to.include({ code: 'game_platform_unavailable' });
    expect([isThere(), await rolesOf(guild, person)]).to.deep.equal([true, [roleId]]);
    mend();
    roblox.leaveGroup(guild.groupId, person.gameUserId);
    reconfigureRoblox();
    expect(await sync(guild, person)).to.deep.include({ kicked: true, restriction: 'required_group' });
    expect(isThere()).to.equal(false);
  });

  // RESTR-12
  it('A resync that would kick many waits for an admin', async () => {
    const many = await buildResyncGuild({ count: 4 });
    const { id, permissions } = discord.botRole(many.guildId);
    discord.updateRole(many.guildId, id, { permissions: permissions | PermissionFlagsBits.KickMembers });
    const restrictions = {
      ...noRestrictions,
      action: 'kick' as const,
      deniedGameUserIds: many.people.map(({ gameUserId }) => gameUserId),
    };
    await setSettings(many, { massRemoval: { sharePercent: 30, people: 3 }, restrictions });
    await eventually(async () => (await many.api.get(many.path)).body.botPermissions.includes('KickMembers'));
    const preview = await many.api.post(`${many.path}/sync/preview`, {});
    expect(preview.body.summary).to.deep.include({ kicking: 4, wouldStopAtBrake: true });
    const { body } = await many.api.post(`${many.path}/resync`, {});
    const held = await resyncWhere(many, body.jobId, ({ awaitingConfirmation }) => awaitingConfirmation !== null);
    expect(held.awaitingConfirmation?.losing).to.equal(4);
    const inGuild = () => many.people.filter(({ chatUserId }) => discord.member(many.guildId, chatUserId)).length;
    expect(inGuild()).to.equal(4);
    await many.api.post(`${many.path}/resync`, { confirm: body.jobId });
    await eventually(async () => {
      await runPendingSyncs(many.guildId);
      return inGuild() === 0;
    }, 'the kicks');
  });
});
