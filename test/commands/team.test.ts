import { expect } from 'chai';
import { findTeammate } from '../../src/core/access/teammate-service.js';
import { latestEntries } from '../../src/core/audit/audit-service.js';
import { spendInDiscord } from '../../src/edges/http/rate-limits.js';
import { asPerson } from '../support/api.js';
import { buildGuild, buildMember, buildPerson, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

describe('/team', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });

  const team = (name: string, options = {}, chatUserId = guild.ownerId) =>
    privateWords(discord.command(guild.guildId, chatUserId, `team ${name}`, options));
  const roleOf = async (chatUserId: string) => (await findTeammate(guild.guildId, chatUserId))?.role;

  it('/team invites with a direct message, lists, changes and removes, each in the log', async () => {
    const { chatUserId, username } = await buildMember(guild, { linked: false });
    const invited = await team('invite', { person: chatUserId, role: 'viewer' });
    expect(invited).to.contain('Invited').and.contain('They got a direct message');
    expect(discord.directMessages(chatUserId)).to.have.length(1);
    const lines = await team('list');
    expect(lines)
      .to.contain(`<@${chatUserId}> (${username}) · **viewer** · invited, hasn't joined yet`)
      .and.contain(`<@${guild.ownerId}>`)
      .and.contain('**owner** · owns the server on Discord');
    expect(await team('change', { person: chatUserId, role: 'manager' })).to.contain('Role changed');
    expect(await roleOf(chatUserId)).to.equal('manager');
    expect(await team('remove', { person: chatUserId })).to.contain('Removed from the team');
    expect(await roleOf(chatUserId)).to.equal(undefined);
    const actions = (await latestEntries(guild.guildId, 3)).map(({ action, actor }) => [action, actor.id]);
    expect(actions).to.deep.equal(
      ['teammate.removed', 'teammate.changed', 'teammate.invited'].map((action) => [action, guild.ownerId]),
    );
  });

  // DISC-33
  it('/team applies the API’s rules about giving and taking roles', async () => {
    const { chatUserId } = await buildDiscordManager(guild);
    const other = await buildMember(guild, { linked: false });
    const theirs = (name: string, options: object) => team(name, options, chatUserId);
    expect(await theirs('invite', { person: other.chatUserId, role: 'admin' })).to.contain('takes owner');
    expect(await theirs('invite', { person: chatUserId, role: 'viewer' })).to.contain("can't invite yourself");
    expect(await theirs('invite', { person: guild.ownerId, role: 'viewer' })).to.contain('owns the server');
    expect(await team('change', { person: other.chatUserId, role: 'viewer' })).to.contain("isn't in the team");
    expect(await team('remove', { person: chatUserId })).to.contain('because they have Manage Server on Discord');

    await distrustDiscordAdmins(guild);
    await giveTeamRole(guild, chatUserId, 'viewer');
    expect(await theirs('list', {})).to.equal('You need the team role admin in this server.');
    expect(await theirs('remove', { person: other.chatUserId })).to.contain('Only admins can remove others');
    expect(await theirs('remove', { person: chatUserId })).to.contain('You have left the team');
    expect(await roleOf(chatUserId)).to.equal(undefined);
  });

  it('/team invite reports that no message was sent when the person is not in the server', async () => {
    const { chatUserId } = await buildPerson();
    expect(await team('invite', { person: chatUserId, role: 'viewer' })).to.contain('tell them yourself');
    expect(discord.directMessages(chatUserId)).to.deep.equal([]);
    expect(await team('invite', { person: chatUserId, role: 'viewer' })).to.contain('already in the team');
  });

  // DISC-33
  it('/team invite counts with the invitations over the API', async () => {
    const { chatUserId } = await buildDiscordManager(guild);
    const { chatUserId: person } = await buildPerson();
    for (let count = 0; count < 30; count += 1) await spendInDiscord(chatUserId, 'invitation');
    expect(await team('invite', { person, role: 'viewer' }, chatUserId)).to.contain('Too many requests');
    const session = await asPerson({ chatUserId, username: 'Manager' });
    const answer = await session.post(`${guild.path}/team/invite`, { chatUserId: person, role: 'viewer' });
    expect(answer.status).to.equal(429);
  });

  it('/team list goes page by page', async () => {
    for (let count = 0; count < 11; count += 1) {
      await giveTeamRole(guild, (await buildPerson()).chatUserId, 'viewer');
    }
    const first = await privateAnswer(discord.command(guild.guildId, guild.ownerId, 'team list'));
    expect(labelsOf(first)).to.deep.equal(['Next page']);
    const second = await privateAnswer(discord.press(guild.guildId, guild.ownerId, first, 'Next page'));
    expect(second.words.match(/\*\*/g)).to.have.length(4);
  });
});
