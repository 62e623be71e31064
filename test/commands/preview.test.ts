import { expect } from 'chai';
import { trusted } from 'mongoose';
import { Teammates } from '../../src/core/access/teammate-model.js';
import { Plans } from '../../src/features/sync/plan/plan-model.js';
import { at, onDiscord } from '../features/sync/preview-setup.js';
import { buildResyncGuild, memberWrites, type ResyncGuild } from '../features/sync/resync-setup.js';
import { eventually } from '../support/build.js';
import { onceShown } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { followUpWords, labelsOf, privateAnswer, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

describe('/preview', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];

  before(async () => {
    ({ discord, roblox } = await world());
  });
  afterEach(() => roblox.clearFaults());

  const ask = ({ guildId, ownerId }: ResyncGuild, chatUserId = ownerId) =>
    discord.command(guildId, chatUserId, 'preview');

  it('/preview explains the change for each member, and the reason for each part that is impossible', async () => {
    const guild = await buildResyncGuild({ count: 14, inStep: 2 });
    const [leaver, renamed] = guild.people;
    roblox.leaveGroup(guild.groupId, leaver?.gameUserId ?? '');
    discord.setNickname(guild.guildId, renamed?.chatUserId ?? '', 'Somebody Else');
    roblox.setRank(guild.groupId, at(guild.people, 2).gameUserId, 100);
    discord.moveRole(guild.guildId, guild.officerRole, 90);
    const message = await privateAnswer(ask(guild));
    const { words } = message;
    expect(words).to.contain(
      '14 of 15 members would change. 12 would get roles, 1 would lose roles, 1 would get or lose a nickname.',
    );
    expect(words).to.contain("1 member needs a change that the bot can't make:\n- The role Officer isn't below");
    const lines = message.embeds[1]?.description?.split('\n') ?? [];
    expect(lines).to.have.length(11);
    expect(lines.at(-1)).to.equal('… and 4 more members');
    const names = (person = leaver) => `<@${person?.chatUserId}> (${person?.username}, ${person?.gameUsername})`;
    expect(lines).to.include(`${names(leaver)}: loses <@&${guild.memberRole}>`);
    expect(lines).to.include(`${names(renamed)}: is renamed to ${renamed?.gameUsername}`);
    expect(labelsOf(message)).to.deep.equal(['Apply exactly this']);
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
  });

  it('/preview warns of a mapped role with dangerous permissions', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    discord.updateRole(guild.guildId, guild.officerRole, { permissions: 1n << 1n });
    const words = await eventually(async () => {
      const said = await privateWords(ask(guild));
      return said.includes('⚠️') ? said : null;
    }, 'the warning');
    expect(words).to.contain('Nothing would change: 2 members checked.');
    expect(words).to.contain('⚠️ The role Officer has dangerous permissions: Kick Members.');
  });

  it('The button of a preview applies exactly the shown changes', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 0 });
    const [, changed] = guild.people;
    const message = await privateAnswer(ask(guild));
    const other = discord.addRole(guild.guildId, { name: 'Other' }).id;
    discord.setMemberRoles(guild.guildId, changed?.chatUserId ?? '', [other]);
    const pressed = await discord.press(guild.guildId, guild.ownerId, message, 'Apply exactly this');
    const done = await pressed.replyMatching(/finished\.\n3 of 3 members · 1 changed/);
    expect(labelsOf(done)).to.deep.equal(['Open dashboard']);
    expect((await onDiscord(guild, at(guild.people, 0))).roleIds).to.deep.equal([guild.memberRole]);
    expect((await onDiscord(guild, at(guild.people, 1))).roleIds).to.deep.equal([other]);
    const again = await privateAnswer(ask(guild));
    expect(again.words).to.contain('1 of 3 members would change.');
  });

  it('A viewer gets the preview without its button, which refuses them too', async () => {
    const guild = await buildResyncGuild({ count: 1, inStep: 0 });
    const viewer = await buildDiscordManager(guild, 1);
    await distrustDiscordAdmins(guild);
    const refused = await privateWords(ask(guild, viewer.chatUserId));
    expect(refused).to.equal('You need the team role viewer in this server.');
    await giveTeamRole(guild, viewer.chatUserId, 'manager');
    const message = await privateAnswer(ask(guild, viewer.chatUserId));
    await Teammates.update({ guildId: guild.guildId, chatUserId: viewer.chatUserId }, { $set: { role: 'viewer' } });
    const pressed = await discord.press(guild.guildId, viewer.chatUserId, message, 'Apply exactly this');
    await onceShown(() => pressed.followUps().length > 0, 'the refusal');
    expect(followUpWords(pressed)).to.equal('You need the team role manager in this server.');
    expect(labelsOf(await privateAnswer(ask(guild, viewer.chatUserId)))).to.deep.equal([]);
    expect(await Plans.count({ guildId: guild.guildId, state: trusted({ $ne: 'shown' }) })).to.equal(0);
  });

  it('/preview reports an expired preview, and that Roblox does not answer', async () => {
    const guild = await buildResyncGuild({ count: 1, inStep: 0 });
    const message = await privateAnswer(ask(guild));
    const mapping = { condition: { type: 'verified' }, roleIds: [guild.officerRole] };
    expect((await guild.api.post(`${guild.path}/mappings`, mapping)).status).to.equal(201);
    const pressed = await discord.press(guild.guildId, guild.ownerId, message, 'Apply exactly this');
    await onceShown(() => pressed.followUps().length > 0, 'the refusal');
    expect(followUpWords(pressed)).to.contain('Create a new one.');
    roblox.inject({ match: /memberships/, status: 403 });
    expect(await privateWords(ask(guild))).to.contain("Roblox isn't answering reliably");
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
  });
});
