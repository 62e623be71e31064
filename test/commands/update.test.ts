import { expect } from 'chai';
import { findMember } from '../../src/features/members/member-service.js';
import { buildResyncGuild, resync } from '../features/sync/resync-setup.js';
import { buildSettledMember, reconfigureRoblox } from '../features/sync/sync-setup.js';
import { withPromptSyncs } from '../support/background.js';
import { buildGuild, buildMember, buildPerson, linkPerson, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { privateAnswer, privateWords } from './private-answer.js';
import { giveTeamRole } from './team.js';

// DISC-8
describe('/update', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: TestGuild;
  let group: { id: string };
  let roleId: string;

  before(async () => {
    ({ discord, roblox } = await world());
    guild = await buildGuild();
    group = roblox.addGroup({ name: 'Builders' });
    roleId = discord.addRole(guild.guildId, { name: 'Officer' }).id;
    await guild.api.post(`${guild.path}/groups`, { groupId: group.id });
    const condition = { type: 'group_rank', groupId: group.id, min: 100, max: 255 };
    expect((await guild.api.post(`${guild.path}/mappings`, { condition, roleIds: [roleId] })).status).to.equal(201);
  });

  // Resets the fake answers from Roblox's hosts.
  afterEach(() => void reconfigureRoblox());

  const update = (chatUserId: string, member?: string) =>
    discord.command(guild.guildId, chatUserId, 'update', member === undefined ? {} : { member });
  const rolesOf = ({ chatUserId }: { chatUserId: string }) => discord.member(guild.guildId, chatUserId)?.roleIds;

  it('/update follows a promotion and a demotion, and reports that there is nothing to change', async () => {
    const person = await buildSettledMember(guild);
    expect(await privateWords(update(person.chatUserId))).to.match(/already up to date/);

    roblox.setRank(group.id, person.gameUserId, 100);
    expect(await privateWords(update(person.chatUserId))).to.equal(`Roles added: <@&${roleId}>`);
    expect(rolesOf(person)).to.deep.equal([roleId]);

    roblox.setRank(group.id, person.gameUserId, 1);
    expect(await privateWords(update(person.chatUserId))).to.equal(`Roles removed: <@&${roleId}>`);
    expect(rolesOf(person)).to.deep.equal([]);
    const member = await findMember(guild.guildId, person.chatUserId);
    expect(member?.syncs.at(-1)).to.deep.include({ trigger: 'command', removed: [roleId] });
  });

  it('The button that /verify offers updates the roles as /update does', async () => {
    const person = await buildSettledMember(guild);
    roblox.setRank(group.id, person.gameUserId, 100);
    const message = await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'verify'));
    const pressed = discord.press(guild.guildId, person.chatUserId, message, 'Update roles');
    expect(await privateWords(pressed)).to.equal(`Roles added: <@&${roleId}>`);
    expect(rolesOf(person)).to.deep.equal([roleId]);
  });

  it('/update takes no role away when Roblox does not answer', async () => {
    const person = await buildSettledMember(guild);
    roblox.setRank(group.id, person.gameUserId, 100);
    await privateWords(update(person.chatUserId));
    const recover = roblox.inject({ match: /^GET (groups|apis)\.roblox\.com\//, status: 503 });
    const words = await privateWords(update(person.chatUserId));
    recover();
    expect(words).to.contain("Roblox isn't answering reliably");
    expect(rolesOf(person)).to.deep.equal([roleId]);
  });

  // SYNC-47
  it('A resync yields to /update in another server, and then continues', async () => {
    const resynced = await buildResyncGuild({ count: 4, inStep: 0 });
    const person = await buildSettledMember(guild);
    const read = new RegExp(`^GET .*/guilds/${guild.guildId}/members/${person.chatUserId}`);
    const letGo = discord.inject({ match: read, held: true, times: 1 });
    const asked = await update(person.chatUserId);
    const startedAt = performance.now();
    const job = await resync(resynced);
    const tookMs = performance.now() - startedAt;
    letGo();
    expect(await privateWords(asked)).to.match(/already up to date/);
    expect(job).to.include({ changed: 4 });
    // A tenth of a second before each of the five steps.
    expect(tookMs).to.be.above(1_900);
  });

  it('/update sends a person without a linked account to /verify', async () => {
    const person = await buildMember(guild, { linked: false });
    expect(await privateWords(update(person.chatUserId))).to.match(/Use <\/verify:\d+>/);
  });

  it('/update of another member requires the team role manager', async () => {
    const [person, other] = [await buildMember(guild), await buildSettledMember(guild)];
    roblox.setRank(group.id, other.gameUserId, 100);
    const refusal = await privateWords(update(person.chatUserId, other.chatUserId));
    expect(refusal).to.equal('You need the team role manager in this server.');
    expect(rolesOf(other)).to.deep.equal([]);

    await giveTeamRole(guild, person.chatUserId, 'manager');
    expect(await privateWords(update(person.chatUserId, other.chatUserId))).to.equal(`Roles added: <@&${roleId}>`);
    expect(rolesOf(other)).to.deep.equal([roleId]);
  });

  it('/update reports that a person is not in the server', async () => {
    const left = await buildMember(guild);
    discord.leave(guild.guildId, left.chatUserId);
    const words = await privateWords(update(guild.ownerId, left.chatUserId));
    expect(words).to.equal("This person isn't in the server.");
  });

  it('/update explains to the owner why Discord leaves their nickname', async () => {
    await linkPerson(guild.guildId, { ...(await buildPerson()), chatUserId: guild.ownerId });
    expect(await privateWords(update(guild.ownerId))).to.contain("server owner's nickname");
  });
});
