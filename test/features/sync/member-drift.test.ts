import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { Events, type Guild, Status } from 'discord.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Members } from '../../../src/features/members/member-model.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { checkChanged } from '../../../src/features/sync/member/member-drift.js';
import { clock } from '../../../src/lib/clock.js';
import { runPendingSyncs } from '../../support/background.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  pendingSyncOf,
  retryNow,
  rolesOf,
  setSettings,
  sync,
} from './sync-setup.js';

// SYNC-33, SYNC-34
describe('A member changed on Discord', () => {
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let roleId: string;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    [roleId = ''] = await mapTo(guild, { type: 'verified' });
    person = await buildSettledMember(guild);
  });

  /** Checks the members from the gateway's events now, instead of in two seconds. */
  const owes = async (somebody: TestPerson) => {
    await checkChanged();
    return (await pendingSyncOf(guild, somebody)) !== undefined;
  };
  const isPending = () => eventually(() => owes(person), 'the pending sync');
  const healthOf = async () => (await guild.api.get(guild.path)).body.health;
  /** Restores changed roles, as the poll for due syncs does. */
  const mend = async () => {
    await isPending();
    await retryNow(guild, person);
  };
  /** All earlier gateway events are stored, since one server's events arrive in order. */
  const untilHeard = async () => {
    const other = await buildSettledMember(guild);
    discord.setMemberRoles(guild.guildId, other.chatUserId, []);
    await eventually(() => owes(other), 'the event of another member');
  };

  it('A member gets a pending sync when a mapped role was taken, which gives it back', async () => {
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    await mend();
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
  });

  it('A member gets a pending sync when an undue mapped role was given', async () => {
    const [other = ''] = await mapTo(guild, { type: 'unverified' });
    await sync(guild, person);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId, other]);
    await mend();
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  it('A member gets a pending sync when the nickname was changed', async () => {
    discord.setNickname(guild.guildId, person.chatUserId, 'Other');
    await mend();
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(person.gameUsername);
  });

  it('A member gets no pending sync for a role without a mapping, nor for Rolelink’s own changes', async () => {
    const unmapped = await addRole(guild);
    discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId, unmapped]);
    await untilHeard();
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
  });

  it('A member gets no pending sync for a nickname in a server that sets none', async () => {
    await setSettings(guild, { nickname: { ...defaultSettings.nickname, enabled: false } });
    await sync(guild, person);
    discord.setNickname(guild.guildId, person.chatUserId, 'Other');
    await untilHeard();
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
  });

  it('A member gets a pending sync when the role of their exemption is gone', async () => {
    const exempting = await addRole(guild);
    await setSettings(guild, { bypass: { keepRoles: [exempting], keepNickname: [] } });
    discord.setMemberRoles(guild.guildId, person.chatUserId, [exempting]);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([exempting]);
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    await mend();
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  // SYNC-26
  it('A member’s nickname gets a pending sync once their own high role is gone', async () => {
    const high = await addRole(guild, { position: 99 });
    const blocked = await buildSettledMember(guild, { roleIds: [high] });
    expect((await getMember(guild.guildId, blocked.chatUserId)).blockedBy).to.deep.equal([`nickname:${high}`]);
    discord.setMemberRoles(guild.guildId, blocked.chatUserId, [roleId]);
    await eventually(() => owes(blocked), 'the pending sync');
    await retryNow(guild, blocked);
    expect(discord.member(guild.guildId, blocked.chatUserId)?.nickname).to.equal(blocked.gameUsername);
  });

  it('A member is left alone when the same role is changed back a third time within an hour, and health reports it', async () => {
    for (let times = 0; times < 2; times += 1) {
      discord.setMemberRoles(guild.guildId, person.chatUserId, []);
      await mend();
      expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    }
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    const isFound = async () => {
      await checkChanged();
      return (await healthOf()).find((issue: { code: string }) => issue.code === 'role_changed_back');
    };
    expect(await eventually(isFound, 'the finding')).to.deep.include({ roleId, count: 1, severity: 'warning' });
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    await sync(guild, person);
    expect(await isFound()).to.equal(undefined);
  });

  it('A member is brought in step again when the changes are more than an hour apart', async () => {
    for (let times = 0; times < 4; times += 1) {
      discord.setMemberRoles(guild.guildId, person.chatUserId, []);
      await mend();
      const { guildId } = guild;
      const { chatUserId } = person;
      const { restored = [] } = await getMember(guildId, chatUserId);
      const earlier = restored.map(({ what, at }) => ({ what, at: new Date(at.getTime() - 3_700_000) }));
      await Members.update({ guildId, chatUserId }, { $set: { restored: earlier } });
    }
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  it('A member leaving and joining again does not count as changed back', async () => {
    for (let times = 0; times < 3; times += 1) {
      const { guildId } = guild;
      const { chatUserId } = person;
      discord.leave(guildId, chatUserId);
      await eventually(async () => !(await getMember(guildId, chatUserId)).present, 'the leave');
      discord.join(guildId, chatUserId);
      await eventually(async () => {
        await runPendingSyncs(guildId);
        return (await rolesOf(guild, person))?.includes(roleId);
      }, 'the role');
    }
    const isSettled = async () => (await pendingSyncOf(guild, person)) === undefined;
    await eventually(isSettled, 'the sync');
    expect(await getMember(guild.guildId, person.chatUserId)).not.to.have.any.keys('restored', 'contested');
  });

  it('A member’s changes are noticed also while a lost connection is replayed', async () => {
    const { client } = container;
    const known = client.guilds.cache.get(guild.guildId) as Guild;
    const heard: string[] = [];
    const note = (member: { id: string }) => void heard.push(member.id);
    client.on(Events.GuildMemberAdd, note);
    const user = discord.addUser({ username: `replayed${clock.epochMs()}` });
    const d = { guild_id: guild.guildId, user: { ...user, discriminator: '0', avatar: null }, roles: [], nick: null };
    known.shard.status = Status.Resuming;
    Reflect.get(client.ws, 'handlePacket')(
      { op: 0, s: 1, t: 'GUILD_MEMBER_ADD', d: { ...d, joined_at: clock.now().toISOString(), flags: 0 } },
      known.shard,
    );
    expect(known.shard.status).to.equal(Status.Resuming);
    known.shard.status = Status.Ready;
    client.off(Events.GuildMemberAdd, note);
    expect(heard).to.deep.equal([user.id]);
  });

  it('A member is included in the reconciliation after an outage of their server within one session', async () => {
    const known = container.client.guilds.cache.get(guild.guildId) as Guild;
    const guilds = Members.acrossGuilds.db.collection<{ _id: string; catchUpSince?: Date }>('guilds');
    await guilds.updateOne({ _id: guild.guildId }, { $unset: { catchUpSince: 1, catchUpAt: 1 } });
    container.client.emit(Events.GuildAvailable, known);
    const isOwedOne = async () => (await guilds.findOne({ _id: guild.guildId }))?.catchUpSince;
    await eventually(isOwedOne, 'the catch-up');
  });
});
