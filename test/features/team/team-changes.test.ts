import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose, { type mongo } from 'mongoose';
import { withTeamLease } from '../../../src/core/access/team-lease.js';
import { chatUser } from '../../../src/core/actors/actor.js';
import { changeTeammate, inviteTeammate, removeTeammate } from '../../../src/features/team/team-changes.js';
import { mintBotToken } from '../../../src/features/tokens/bot-tokens.js';
import { createToken } from '../../../src/features/tokens/token-service.js';
import { AppError, Forbidden } from '../../../src/lib/errors.js';
import { distrustDiscordAdmins } from '../../commands/team.js';
import { type Api, api } from '../../support/api.js';
import { buildGuild, buildPerson, type TestGuild, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildDiscordAdmin, buildTeammate, storedTeammate, teamEntries } from './team-setup.js';

const pathTo = (guild: TestGuild, { chatUserId }: { chatUserId: string }) => `${guild.path}/team/${chatUserId}`;

/** As older versions let tokens make them. */
const ofToken = { role: 'viewer', name: 'offspring' } as const;

/** A token that a person has made through the API, and a caller with it. */
async function makeToken(caller: Api, guild: TestGuild, role: string): Promise<{ tokenId: string; api: Api }> {
  const { status, body } = await caller.post(`${guild.path}/tokens`, { name: `of ${role}`, role });
  expect(status, JSON.stringify(body)).to.equal(201);
  return { tokenId: body.tokenId, api: api(body.token) };
}

// AUTH-32, AUTH-49
describe('Changes of a teammate’s role', () => {
  it('A teammate’s new role holds at the next request, and the log has old and new role', async () => {
    const guild = await buildGuild();
    const teammate = await buildTeammate(guild, 'viewer');
    expect((await teammate.api.post(`${guild.path}/resync`, {})).status).to.equal(403);
    const { status, body } = await guild.api.patch(pathTo(guild, teammate), { role: 'manager' });
    expect(status).to.equal(200);
    const expected = { role: 'manager', givenRole: 'manager', source: 'invitation', state: 'active' };
    expect(body).to.include({ memberId: teammate.chatUserId, ...expected });
    expect((await storedTeammate(guild, teammate))?.role).to.equal('manager');
    expect((await teammate.api.post(`${guild.path}/resync`, {})).status).to.equal(202);
    const [entry] = await teamEntries(guild);
    const target = { kind: 'teammate', id: teammate.chatUserId, name: teammate.username };
    const changes = { role: { from: 'viewer', to: 'manager' } };
    expect(entry).to.deep.include({ action: 'teammate.changed', target, changes });

    expect((await guild.api.patch(pathTo(guild, teammate), { role: 'manager' })).body).to.deep.equal(body);
    expect(await teamEntries(guild)).to.have.length(1);
  });

  it('A change of role is refused where the old or the new role is not below the caller’s own', async () => {
    const guild = await buildGuild();
    const [admin, manager, viewer] = [
      await buildTeammate(guild, 'admin'),
      await buildTeammate(guild, 'manager'),
      await buildTeammate(guild, 'viewer'),
    ];
    const other = await buildTeammate(guild, 'admin');
    const token = api(await tokenFor(guild.guildId, 'admin'));
    const refused: [Api, { chatUserId: string }, string][] = [
      [admin.api, viewer, 'admin'],
      [admin.api, other, 'viewer'],
      [admin.api, admin, 'viewer'],
      [admin.api, admin, 'admin'],
      [manager.api, viewer, 'viewer'],
      [manager.api, manager, 'admin'],
      [viewer.api, viewer, 'manager'],
      [token, viewer, 'admin'],
      [token, admin, 'manager'],
    ];
    for (const [caller, target, role] of refused) {
      const { status, body } = await caller.patch(pathTo(guild, target), { role });
      expect({ status, code: body.code }, body.detail).to.deep.equal({ status: 403, code: 'forbidden' });
    }
    expect((await storedTeammate(guild, admin))?.role).to.equal('admin');
    expect((await storedTeammate(guild, viewer))?.role).to.equal('viewer');
    expect(await teamEntries(guild)).to.deep.equal([]);
    for (const caller of [admin.api, token]) {
      expect((await caller.patch(pathTo(guild, manager), { role: 'viewer' })).status).to.equal(200);
      expect((await caller.patch(pathTo(guild, manager), { role: 'manager' })).status).to.equal(200);
    }
  });

  it('The team API changes no role that Discord gives', async () => {
    const guild = await buildGuild();
    const discordAdmin = await buildDiscordAdmin(guild);
    const invited = await buildDiscordAdmin(guild);
    await guild.api.post(`${guild.path}/team/invite`, { chatUserId: invited.chatUserId, role: 'viewer' });
    const nobody = await buildPerson();
    const refusal = async (target: { chatUserId: string }, caller = guild.api) => {
      const answers = [
        await caller.patch(pathTo(guild, target), { role: 'viewer' }),
        await caller.delete(pathTo(guild, target)),
      ];
      return answers.map(({ status, body }) => `${status} ${body.code}`);
    };
    expect(await refusal({ chatUserId: guild.ownerId })).to.deep.equal(Array(2).fill('409 discord_owner'));
    expect(await refusal(discordAdmin)).to.deep.equal(Array(2).fill('409 role_from_discord'));
    expect(await refusal(nobody)).to.deep.equal(Array(2).fill('404 teammate_not_found'));
    // Their row says viewer, but they are admin by Discord: equal to the actor.
    expect(await refusal(invited, discordAdmin.api)).to.deep.equal(Array(2).fill('403 forbidden'));

    const { body } = await guild.api.patch(pathTo(guild, invited), { role: 'manager' });
    expect(body).to.include({ role: 'admin', givenRole: 'manager', source: 'discord_permission' });
    expect((await guild.api.delete(pathTo(guild, invited))).status).to.equal(204);
    expect((await invited.api.get(guild.path)).body.role).to.equal('admin');
  });

  it('A demotion revokes the bot tokens above the new role, and tokens that those have made', async () => {
    const guild = await buildGuild();
    const teammate = await buildTeammate(guild, 'admin');
    const [high, low] = [
      await makeToken(teammate.api, guild, 'admin'),
      await makeToken(teammate.api, guild, 'manager'),
    ];
    const { token, text } = await mintBotToken({ ...ofToken, guildId: guild.guildId, createdBy: high.tokenId });
    const offspring = { tokenId: token._id, api: api(text) };
    const bystander = await makeToken((await buildTeammate(guild, 'admin')).api, guild, 'admin');
    await guild.api.patch(pathTo(guild, teammate), { role: 'manager' });
    const statuses = [high, offspring, low, bystander].map(async (token) => (await token.api.get(guild.path)).status);
    expect(await Promise.all(statuses)).to.deep.equal([401, 401, 200, 200]);
    const entries = await teamEntries(guild);
    expect(entries.slice(0, 3).map(({ action, target }) => `${action} ${target.id}`)).to.deep.equal([
      `token.revoked ${high.tokenId}`,
      `token.revoked ${offspring.tokenId}`,
      `teammate.changed ${teammate.chatUserId}`,
    ]);
    expect(entries[0]?.actor).to.deep.equal(entries[2]?.actor);
  });

  // AUTH-37
  it('A person losing their role during their request changes nobody’s', async () => {
    const guild = await buildGuild();
    const [{ chatUserId, username }, other] = [
      await buildTeammate(guild, 'admin'),
      await buildTeammate(guild, 'viewer'),
    ];
    const { chatUserId: invitee } = await buildPerson();
    const actor = chatUser(chatUserId, username, 'admin');
    await guild.api.patch(`${guild.path}/team/${chatUserId}`, { role: 'viewer' });
    const tries = [
      inviteTeammate(guild.guild, actor, { chatUserId: invitee, role: 'viewer' }),
      changeTeammate(guild.guild, actor, other.chatUserId, 'manager'),
      removeTeammate(guild.guild, actor, other.chatUserId),
    ];
    const refused = await Promise.all(tries.map((each) => each.catch((error: unknown) => error)));
    for (const error of refused) expect(error).to.be.instanceOf(Forbidden);
    expect(await storedTeammate(guild, other)).to.include({ role: 'viewer' });
    expect(await storedTeammate(guild, { chatUserId: invitee })).to.equal(null);
  });

  // AUTH-37
  it('A demotion during the making of a token leaves it no role above its maker’s', async () => {
    const guild = await buildGuild();
    const { chatUserId, username } = await buildTeammate(guild, 'admin');
    const [maker, owner] = [chatUser(chatUserId, username, 'admin'), chatUser(guild.ownerId, 'owner', 'owner')];
    const wish = { name: 'late', role: 'admin', expiresInDays: 1 } as const;
    const ended: string[] = [];
    let last: Promise<unknown> | undefined;
    const making = () =>
      createToken(guild.guild, maker, wish).then(
        () => ended.push('made'),
        (error: unknown) => ended.push(error instanceof AppError ? error.code : String(error)),
      );
    // The guild lease's holder has it alone, and the others get it in order.
    const all = await withTeamLease(guild.guildId, async () => {
      const first = making();
      const change = changeTeammate(guild.guild, owner, chatUserId, 'manager').then(() => ended.push('changed'));
      // A waiter that does not take its turn ends automatically.
      await delay(500);
      expect(ended).to.deep.equal([]);
      return [first, change];
    });
    // The change that waits for the first one begins by reading its person.
    const client = mongoose.connection.getClient();
    const makeLast = ({ command }: mongo.CommandStartedEvent) => {
      if (command.find === 'teammates' && ended.length === 1) last ??= making();
    };
    client.on('commandStarted', makeLast);
    await Promise.all(all);
    client.off('commandStarted', makeLast);
    await last;
    expect(ended).to.deep.equal(['made', 'changed', 'forbidden']);
    const left = (await guild.api.get(`${guild.path}/tokens`)).body.data;
    expect(left.map((token: { name: string }) => token.name)).to.deep.equal(['test owner']);
  });
});

describe('Removal of a teammate', () => {
  it('A removed teammate loses all access immediately', async () => {
    const guild = await buildGuild();
    const teammate = await buildTeammate(guild, 'admin');
    const token = await makeToken(teammate.api, guild, 'viewer');
    expect((await teammate.api.get('/api/guilds')).body.data).to.have.length(1);
    expect((await guild.api.delete(pathTo(guild, teammate))).status).to.equal(204);
    expect(await storedTeammate(guild, teammate)).to.equal(null);
    expect((await teammate.api.get(guild.path)).body.code).to.equal('guild_not_found');
    expect((await teammate.api.get('/api/guilds')).body.data).to.deep.equal([]);
    expect((await token.api.get(guild.path)).status).to.equal(401);
    const target = { kind: 'teammate', id: teammate.chatUserId, name: teammate.username };
    const changes = { role: { from: 'admin', to: null } };
    expect((await teamEntries(guild))[1]).to.deep.include({ action: 'teammate.removed', target, changes });
    expect((await guild.api.delete(pathTo(guild, teammate))).body.code).to.equal('teammate_not_found');
  });

  it('A teammate’s removal takes admin and a higher role than the teammate’s; all may remove themselves', async () => {
    const guild = await buildGuild();
    const [admin, other] = [await buildTeammate(guild, 'admin'), await buildTeammate(guild, 'admin')];
    const [manager, viewer] = [await buildTeammate(guild, 'manager'), await buildTeammate(guild, 'viewer')];
    const removing = async (caller: Api, target: { chatUserId: string }) =>
      (await caller.delete(pathTo(guild, target))).status;
    expect(await removing(admin.api, other)).to.equal(403);
    expect(await removing(manager.api, viewer)).to.equal(403);
    expect(await removing(viewer.api, manager)).to.equal(403);
    expect(await removing(api(await tokenFor(guild.guildId, 'manager')), viewer)).to.equal(403);
    expect(await teamEntries(guild)).to.deep.equal([]);
    expect(await removing(viewer.api, viewer)).to.equal(204);
    expect(await removing(admin.api, manager)).to.equal(204);
    expect(await removing(admin.api, admin)).to.equal(204);
    expect((await admin.api.get(guild.path)).status).to.equal(404);
    expect((await storedTeammate(guild, other))?.role).to.equal('admin');
  });

  it('A teammate’s removal does not wait for a Discord that does not answer', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const teammate = await buildTeammate(guild, 'admin');
    const token = await makeToken(teammate.api, guild, 'admin');
    discord.inject({ match: /GET .*\/members\/\d+$/, status: 503 });
    const { status } = await guild.api.delete(pathTo(guild, teammate));
    discord.clearFaults();
    expect(status).to.equal(204);
    expect((await token.api.get(guild.path)).status).to.equal(401);
  });

  it('Simultaneous removal and role changes of a teammate end in the removal, and the log has each step', async () => {
    for (let round = 0; round < 5; round += 1) {
      const guild = await buildGuild();
      await distrustDiscordAdmins(guild);
      const teammate = await buildTeammate(guild, 'viewer');
      const path = pathTo(guild, teammate);
      const roles = ['manager', 'admin', 'viewer', 'manager', 'admin', 'viewer'];
      const [removed, ...changed] = await Promise.all([
        delay(round * 3).then(() => guild.api.delete(path)),
        ...roles.map((role) => guild.api.patch(path, { role })),
      ]);
      expect(removed?.status).to.equal(204);
      for (const { status } of changed) expect(status).to.be.oneOf([200, 404]);
      expect(await storedTeammate(guild, teammate)).to.equal(null);
      const steps = (await teamEntries(guild)).map(({ changes }) => changes?.role).reverse();
      expect(steps[0]?.from).to.equal('viewer');
      expect(steps.at(-1)?.to).to.equal(null);
      for (const [index, step] of steps.slice(1).entries()) expect(step?.from).to.equal(steps[index]?.to);
    }
  });
});
