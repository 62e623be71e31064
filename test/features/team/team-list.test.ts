import { expect } from 'chai';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { distrustDiscordAdmins } from '../../commands/team.js';
import { api, asPerson, signIn } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, type TestGuild, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildDiscordAdmin, buildTeammate } from './team-setup.js';

/** The team as it is listed: each one's `role source state` by id. */
async function teamOf(guild: TestGuild): Promise<Record<string, string>> {
  const { status, body } = await guild.api.get(`${guild.path}/team?limit=100`);
  expect(status, JSON.stringify(body)).to.equal(200);
  const lines = body.data.map((row: Record<string, string>) => [
    row.memberId,
    `${row.role} ${row.source} ${row.state} ${row.givenRole}`,
  ]);
  return Object.fromEntries(lines);
}

const owner = 'owner discord_owner active null';
const byDiscord = 'admin discord_permission active null';

// AUTH-50
describe('The list of the team', () => {
  it('The team list includes the owner and people with Manage Server on Discord, each once', async () => {
    const guild = await buildGuild();
    await buildMember(guild);
    const invited = await buildTeammate(guild, 'manager', 'invited');
    const active = await buildTeammate(guild, 'admin');
    const admin = await buildDiscordAdmin(guild);
    const both = await buildDiscordAdmin(guild);
    await guild.api.post(`${guild.path}/team/invite`, { chatUserId: both.chatUserId, role: 'viewer' });
    expect(await teamOf(guild)).to.deep.equal({
      [guild.ownerId]: owner,
      [invited.chatUserId]: 'manager invitation invited manager',
      [active.chatUserId]: 'admin invitation active admin',
      [admin.chatUserId]: byDiscord,
      [both.chatUserId]: 'admin discord_permission invited viewer',
    });
    const { body } = await guild.api.get(`${guild.path}/team`);
    const row = body.data.find(({ memberId }: { memberId: string }) => memberId === admin.chatUserId);
    expect(row).to.include({ username: admin.username, invitedBy: null, invitedAt: null });
  });

  it('The team list leaves out Discord’s admins where the guild does not trust them', async () => {
    const guild = await buildGuild();
    const admin = await buildDiscordAdmin(guild);
    await distrustDiscordAdmins(guild);
    expect(await teamOf(guild)).to.deep.equal({ [guild.ownerId]: owner });
    const { body } = await guild.api.get(`${guild.path}/team`);
    expect(body.data[0].username).to.match(/^owner\d+$/);
    expect((await admin.api.get(guild.path)).status).to.equal(404);
  });

  it('The team list of a large server has the signed-in Discord admins, without reading all members', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const [signedIn, demoted] = [await buildDiscordAdmin(guild), await buildDiscordAdmin(guild)];
    for (const { chatUserId } of [signedIn, demoted]) await signIn(chatUserId);
    const teammate = await buildTeammate(guild, 'viewer');
    const { id: roleId } = discord.addRole(guild.guildId, { name: 'Admins', permissions: 8n });
    discord.join(guild.guildId, teammate.chatUserId, { roleIds: [roleId] });
    const unseen = await buildDiscordAdmin(guild);
    discord.setMemberRoles(guild.guildId, demoted.chatUserId, []);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { memberCount: 100_000 } });
    discord.forgetRequests();
    const team = await teamOf(guild);
    expect(team).to.deep.equal({
      [guild.ownerId]: owner,
      [signedIn.chatUserId]: byDiscord,
      [teammate.chatUserId]: 'admin discord_permission active viewer',
    });
    await teamOf(guild);
    const asked = discord.requests.map(({ path }) => path).filter((path) => path.includes('/members'));
    expect(asked.filter((path) => path.endsWith('/members'))).to.deep.equal([]);
    expect(new Set(asked).size).to.equal(asked.length);
    expect((await unseen.api.get(guild.path)).body.role).to.equal('admin');
  });

  it('The team list takes the role admin', async () => {
    const guild = await buildGuild();
    for (const role of ['viewer', 'manager'] as const) {
      const callers = [api(await tokenFor(guild.guildId, role)), (await buildTeammate(guild, role)).api];
      for (const caller of callers) expect((await caller.get(`${guild.path}/team`)).status).to.equal(403);
    }
    expect((await (await buildTeammate(guild, 'admin')).api.get(`${guild.path}/team`)).status).to.equal(200);
    const stranger = await asPerson(await buildPerson());
    expect((await stranger.get(`${guild.path}/team`)).status).to.equal(404);
  });

  it('The team list answers 503 when Discord does not answer, rather than leaving a person out', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    discord.inject({ match: /GET .*\/members$/, status: 503 });
    const { status, body } = await guild.api.get(`${guild.path}/team`);
    discord.clearFaults();
    expect({ status, code: body.code }).to.deep.equal({ status: 503, code: 'chat_platform_unavailable' });
  });
});
