import { expect } from 'chai';
import { MessageFlags } from 'discord.js';
import { withTeamLease } from '../../../src/core/access/team-lease.js';
import { Teammates } from '../../../src/core/access/teammate-model.js';
import { notifying } from '../../../src/features/team/invitation-message.js';
import { clock } from '../../../src/lib/clock.js';
import { dayMs, minuteMs } from '../../../src/lib/time.js';
import { purgeRemembered } from '../../../src/platforms/database/remembered.js';
import { api, asPerson } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, eventually, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildDiscordAdmin, buildTeammate, storedTeammate, teamEntries } from './team-setup.js';

const { waitMs } = notifying;

type TeammateKey = { guildId: string; chatUserId: string };

/** Registers hooks: after each test, clock and patience are as before. */
function useUsualTimes(): void {
  afterEach(() => {
    notifying.waitMs = waitMs;
    clock.restore();
  });
}

// AUTH-46, AUTH-47, AUTH-48
describe('Messages about invitations', () => {
  useUsualTimes();

  it('An invitation is stored, shown and written down, and the person gets a direct message', async () => {
    const { discord, url } = await world();
    const guild = await buildGuild({ name: 'The *Hall*' });
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'Olga' });
    const { chatUserId, username } = await buildMember(guild, { linked: false });
    const { status, body } = await owner.post(`${guild.path}/team/invite`, { chatUserId, role: 'admin' });
    expect(status, JSON.stringify(body)).to.equal(201);
    const { invitedAt, ...shown } = body;
    expect(shown).to.deep.equal({
      memberId: chatUserId,
      username,
      role: 'admin',
      source: 'invitation',
      givenRole: 'admin',
      state: 'invited',
      invitedBy: guild.ownerId,
      notified: true,
    });
    const stored = await storedTeammate(guild, { chatUserId });
    expect(stored).to.deep.include({ role: 'admin', state: 'invited', username, invitedBy: guild.ownerId });
    expect(stored?.invitedAt.toISOString()).to.equal(invitedAt);
    const [entry, ...more] = await teamEntries(guild);
    expect(more).to.deep.equal([]);
    expect(entry).to.deep.include({
      action: 'teammate.invited',
      target: { kind: 'teammate', id: chatUserId, name: username },
      changes: { role: { from: null, to: 'admin' } },
    });
    expect(entry?.actor.id).to.equal(guild.ownerId);
    const [message, ...others] = discord.directMessages(chatUserId);
    expect(others).to.deep.equal([]);
    expect(message?.content)
      .to.contain('The \\*Hall\\*')
      .and.to.contain('**Olga**')
      .and.to.contain('as admin')
      .and.to.contain(url);
    expect(message?.flags).to.equal(MessageFlags.SuppressEmbeds);
  });

  it('An invitation is made even when no message reaches the person, and the answer shows it', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const closed = await buildMember(guild, { linked: false });
    discord.acceptDirectMessages(closed.chatUserId, false);
    const elsewhere = await buildMember(await buildGuild(), { linked: false });
    const unknown = await buildMember(guild, { linked: false });
    discord.inject({ match: new RegExp(`GET .*/members/${unknown.chatUserId}$`), status: 500 });
    for (const { chatUserId } of [closed, elsewhere, unknown]) {
      const { status, body } = await guild.api.post(`${guild.path}/team/invite`, { chatUserId, role: 'viewer' });
      expect({ status, notified: body.notified }).to.deep.equal({ status: 201, notified: false });
      expect((await storedTeammate(guild, { chatUserId }))?.state).to.equal('invited');
      expect(discord.directMessages(chatUserId)).to.deep.equal([]);
    }
  });

  it('A person gets one message a day about invitations, even after one was taken back', async () => {
    const { discord } = await world();
    const [guild, another] = [await buildGuild(), await buildGuild()];
    const { chatUserId } = await buildMember(guild, { linked: false });
    discord.join(another.guildId, chatUserId);
    const inviting = async ({ api: caller, path }: typeof guild) => {
      const { body } = await caller.post(`${path}/team/invite`, { chatUserId, role: 'viewer' });
      expect((await caller.delete(`${path}/team/${chatUserId}`)).status).to.equal(204);
      return body.notified;
    };
    expect([await inviting(guild), await inviting(guild), await inviting(another)]).to.deep.equal([true, false, true]);
    clock.advance(dayMs - minuteMs);
    await purgeRemembered(clock.now());
    expect(await inviting(guild)).to.equal(false);
    expect(discord.directMessages(chatUserId)).to.have.length(2);
    clock.advance(2 * minuteMs);
    expect(await inviting(guild)).to.equal(true);
    expect(discord.directMessages(chatUserId)).to.have.length(3);
  });

  it('The message about an invitation names no token, since its maker could have chosen any name', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    await guild.api.post(`${guild.path}/team/invite`, { chatUserId, role: 'viewer' });
    const [message] = discord.directMessages(chatUserId);
    expect(message?.content).to.match(/^A bot token invited you to the Rolelink team/);
  });

  it('An invitation does not wait for a message that Discord is slow to take, and that still arrives', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    discord.inject({ match: /POST .*\/users\/@me\/channels/, delayMs: 2_500, times: 1 });
    notifying.waitMs = 200;
    const { status, body } = await guild.api.post(`${guild.path}/team/invite`, { chatUserId, role: 'viewer' });
    expect({ status, notified: body.notified }).to.deep.equal({ status: 201, notified: false });
    expect(discord.directMessages(chatUserId)).to.deep.equal([]);
    await eventually(() => discord.directMessages(chatUserId).length === 1, 'the message');
  });
});

describe('Rules of invitations', () => {
  useUsualTimes();

  it('An invitation ends with its admin’s removal or demotion before it is accepted', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const ends = [Teammates.remove, (mine: TeammateKey) => Teammates.update(mine, { $set: { role: 'manager' } })];
    for (const end of ends) {
      const admin = await buildTeammate(guild, 'admin');
      const { chatUserId } = await buildPerson();
      const inviting = await withTeamLease(guild.guildId, async () => {
        const asked = admin.api.post(`${guild.path}/team/invite`, { chatUserId, role: 'viewer' });
        await eventually(
          () => discord.requests.some(({ path }) => path.endsWith(`/users/${chatUserId}`)),
          'the reading',
        );
        await end.call(Teammates, { guildId: guild.guildId, chatUserId: admin.chatUserId });
        return { asked };
      });
      const { status, body } = await inviting.asked;
      expect([status, body.code]).to.deep.equal([403, 'forbidden']);
      expect(await storedTeammate(guild, { chatUserId })).to.equal(null);
      expect(discord.directMessages(chatUserId)).to.deep.equal([]);
    }
  });

  it('An invitation of an unknown person, a bot or the owner is refused, and changes nothing', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId } = await buildPerson();
    const path = `${guild.path}/team/invite`;
    const refused = async (body: unknown) => {
      const answer = await guild.api.post(path, body);
      const issues = (answer.body.errors ?? []).map((issue: { path: string; message: string }) => issue);
      return { status: answer.status, code: answer.body.code, issues };
    };
    const invalid = { status: 400, code: 'invalid_request' };
    expect(await refused({ chatUserId, role: 'owner' })).to.deep.equal({
      ...invalid,
      issues: [{ path: 'role', message: 'must be viewer, manager or admin' }],
    });
    expect(await refused({ chatUserId: '100000000000000007', role: 'viewer' })).to.deep.equal({
      ...invalid,
      issues: [{ path: 'chatUserId', message: 'is nobody on Discord' }],
    });
    expect(await refused({ chatUserId: discord.application.botUserId, role: 'viewer' })).to.deep.equal({
      ...invalid,
      issues: [{ path: 'chatUserId', message: 'is a bot: make a token for it instead' }],
    });
    expect(await refused({ chatUserId: guild.ownerId, role: 'admin' })).to.deep.include({
      status: 409,
      code: 'discord_owner',
    });
    discord.inject({ match: /GET .*\/users\/\d+$/, status: 503 });
    expect(await refused({ chatUserId, role: 'viewer' })).to.deep.include({ status: 503 });
    discord.clearFaults();
    expect(await storedTeammate(guild, { chatUserId })).to.equal(null);
    expect(await teamEntries(guild)).to.deep.equal([]);
  });

  it('Only the owner gives a role at or above their own', async () => {
    notifying.waitMs = 20;
    const guild = await buildGuild();
    const admin = await buildTeammate(guild, 'admin');
    const manager = await buildTeammate(guild, 'manager');
    const discordAdmin = await buildDiscordAdmin(guild);
    const tokens = [
      api(await tokenFor(guild.guildId, 'admin')),
      api(await tokenFor(guild.guildId, 'manager')),
    ] as const;
    const path = `${guild.path}/team/invite`;
    const inviting = async (caller: typeof guild.api, role: string) => {
      const { chatUserId } = await buildPerson();
      const { status, body } = await caller.post(path, { chatUserId, role });
      const stored = await storedTeammate(guild, { chatUserId });
      expect(stored?.role, `${status}`).to.equal(status === 201 ? role : undefined);
      if (status !== 201) expect(body.code).to.equal('forbidden');
      return status;
    };
    for (const caller of [admin.api, discordAdmin.api, tokens[0]]) {
      expect(await inviting(caller, 'admin')).to.equal(403);
      expect(await inviting(caller, 'manager')).to.equal(201);
      expect(await inviting(caller, 'viewer')).to.equal(201);
    }
    for (const caller of [manager.api, tokens[1]]) expect(await inviting(caller, 'viewer')).to.equal(403);
    expect(await inviting(await asPerson({ chatUserId: guild.ownerId, username: 'Olga' }), 'admin')).to.equal(201);
    expect(await inviting(guild.api, 'admin')).to.equal(201);
  });

  it('No one can invite themselves, as a Discord admin could to stay', async () => {
    const guild = await buildGuild();
    const { api: caller, chatUserId } = await buildDiscordAdmin(guild);
    const { status } = await caller.post(`${guild.path}/team/invite`, { chatUserId, role: 'manager' });
    expect(status).to.equal(403);
    expect(await storedTeammate(guild, { chatUserId })).to.equal(null);
  });

  it('A person is invited once by simultaneous requests', async () => {
    notifying.waitMs = 20;
    const guild = await buildGuild();
    const { chatUserId } = await buildPerson();
    const path = `${guild.path}/team/invite`;
    const roles = ['viewer', 'manager', 'admin', 'viewer', 'manager', 'admin'];
    const answers = await Promise.all(roles.map((role) => guild.api.post(path, { chatUserId, role })));
    const [made, ...more] = answers.filter(({ status }) => status === 201);
    expect(more).to.deep.equal([]);
    const refused = answers.filter(({ status }) => status !== 201);
    expect(refused.map(({ status, body }) => `${status} ${body.code}`)).to.deep.equal(
      Array(5).fill('409 teammate_exists'),
    );
    expect((await storedTeammate(guild, { chatUserId }))?.role).to.equal(made?.body.role);
    expect((await teamEntries(guild)).map(({ action }) => action)).to.deep.equal(['teammate.invited']);
  });

  // API-31
  it('Each caller makes at most 30 invitations an hour', async () => {
    const guild = await buildGuild();
    const path = `${guild.path}/team/invite`;
    for (let index = 0; index < 30; index += 1) {
      expect((await guild.api.post(path, { chatUserId: guild.ownerId, role: 'viewer' })).status).to.equal(409);
    }
    const { status, headers } = await guild.api.post(path, { chatUserId: guild.ownerId, role: 'viewer' });
    expect(status).to.equal(429);
    expect(Number(headers.get('retry-after'))).to.be.within(3_500, 3_600);
  });
});

describe('Answers to an invitation', () => {
  // AUTH-45
  it('An invitation waits until the person visits the guild: looking at oneself or the list is no visit', async () => {
    const guild = await buildGuild();
    const invitee = await buildTeammate(guild, 'manager', 'invited');
    const invitation = async () => (await invitee.api.get('/api/auth/me')).body.invitations[0];
    expect((await invitee.api.get('/api/guilds')).body.data[0]).to.include({ guildId: guild.guildId, role: 'manager' });
    expect(await invitation()).to.deep.include({
      guildId: guild.guildId,
      guildName: guild.guild.name,
      role: 'manager',
    });
    expect((await storedTeammate(guild, invitee))?.state).to.equal('invited');
    expect(await teamEntries(guild)).to.deep.equal([]);

    await Promise.all([1, 2, 3].map(() => invitee.api.get(guild.path)));
    expect(await invitation()).to.equal(undefined);
    expect((await storedTeammate(guild, invitee))?.state).to.equal('active');
    const { chatUserId: id, username: name } = invitee;
    expect(await teamEntries(guild)).to.deep.equal([
      {
        actor: { kind: 'user', id, name },
        action: 'teammate.activated',
        target: { kind: 'teammate', id, name },
        changes: { state: { from: 'invited', to: 'active' } },
      },
    ]);
  });

  // AUTH-45
  it('A command accepts an invitation too, and other readers of the team do not accept it', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const invitee = await buildTeammate(guild, 'viewer', 'invited');
    discord.join(guild.guildId, invitee.chatUserId);
    const { body } = await guild.api.get(`${guild.path}/team`);
    expect(body.data.find((row: { memberId: string }) => row.memberId === invitee.chatUserId).state).to.equal(
      'invited',
    );
    await discord.command(guild.guildId, guild.ownerId, 'mapping list');
    expect((await storedTeammate(guild, invitee))?.state).to.equal('invited');
    const roleId = discord.addRole(guild.guildId, { name: 'Shown', permissions: 0x20n }).id;
    discord.setMemberRoles(guild.guildId, invitee.chatUserId, [roleId]);
    await (await discord.command(guild.guildId, invitee.chatUserId, 'mapping list')).reply();
    expect((await storedTeammate(guild, invitee))?.state).to.equal('active');
    expect((await teamEntries(guild)).map(({ action }) => action)).to.deep.equal(['teammate.activated']);
  });

  it('An invited person declines the invitation', async () => {
    const guild = await buildGuild();
    const invitee = await buildTeammate(guild, 'viewer', 'invited');
    expect((await invitee.api.delete(`${guild.path}/team/${invitee.chatUserId}`)).status).to.equal(204);
    expect(await storedTeammate(guild, invitee)).to.equal(null);
    expect((await invitee.api.get('/api/auth/me')).body.invitations).to.deep.equal([]);
    expect((await invitee.api.get(guild.path)).status).to.equal(404);
  });
});
