import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { clock } from '../../src/lib/clock.js';
import { purgeRemembered } from '../../src/platforms/database/remembered.js';
import { addRole, buildGroupGuild, type GroupGuild } from '../features/sync/sync-setup.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import type { TestPerson } from '../support/build.js';
import { factsWhere } from '../support/events.js';
import { remembered } from '../support/remembered-rows.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

const dayMs = 86_400_000;

// CONF-29
describe('The button Import', () => {
  let discord: World['discord'];
  let guild: GroupGuild;
  let low: string;
  let admins: string;
  let manager: TestPerson;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    low = await addRole(guild, { name: 'Low', position: 1 });
    manager = await buildDiscordManager(guild, 2);
    admins = await addRole(guild, { name: 'Admins', position: 3 });
    await distrustDiscordAdmins(guild);
    await giveTeamRole(guild, manager.chatUserId, 'manager');
    await known(admins);
  });

  const known = (roleId: string) => factsWhere(guild.guildId, ({ roles }) => roles.has(roleId));
  const review = (csv: string, chatUserId = guild.ownerId) =>
    privateAnswer(
      discord.command(guild.guildId, chatUserId, 'import', {
        file: discord.upload('roles.csv', `condition,group,roles\n${csv}\n`),
        from: 'csv',
      }),
    );
  const press = (message: SandboxMessage, label: string, chatUserId = guild.ownerId) =>
    privateAnswer(discord.press(guild.guildId, chatUserId, message, label));
  const mapped = async () => (await listAllMappings(guild.guildId)).flatMap(({ roleIds }) => roleIds);

  it('The button Import imports the text that its own message reviewed, even after another review', async () => {
    const shown = await review('verified,,Low');
    const refused = await review('unverified,,Admins', manager.chatUserId);
    expect(refused.words).to.contain('You can only map roles below your own highest');
    await press(shown, 'Import 1');
    expect(await mapped()).to.deep.equal([low]);
  });

  // CONF-28
  it('The button Import skips a refused line, also when the person has come to stand above the role since', async () => {
    const shown = await review('verified,,Low\nunverified,,Admins', manager.chatUserId);
    expect(labelsOf(shown)).to.deep.equal(['Import 1']);
    const kept = await remembered('review_draft', { guildId: guild.guildId });
    expect(JSON.stringify(kept)).to.contain(low).and.not.contain(admins).and.not.contain('Admins');
    const { id } = discord.addRole(guild.guildId, { name: 'High', position: 4 });
    discord.setMemberRoles(guild.guildId, manager.chatUserId, [
      ...(discord.member(guild.guildId, manager.chatUserId)?.roleIds ?? []),
      id,
    ]);
    await known(id);
    await press(shown, 'Import 1', manager.chatUserId);
    expect(await mapped()).to.deep.equal([low]);
  });

  it('The button Import maps the role that was shown, and not another one that has taken over its name', async () => {
    const shown = await review('verified,,Low');
    discord.updateRole(guild.guildId, low, { name: 'Was low' });
    discord.updateRole(guild.guildId, admins, { name: 'Low' });
    await factsWhere(guild.guildId, ({ roles }) => roles.get(admins)?.name === 'Low');
    await press(shown, 'Import 1');
    expect(await mapped()).to.deep.equal([low]);
  });

  // CONF-27
  it('The review of an import shows its mappings and the dangers of their roles', async () => {
    const { words } = await review(`verified,,Low\ngroup_member,${guild.groupId},Admins`);
    expect(words).to.contain(`verified → <@&${low}>`).and.contain(`→ <@&${admins}>`);
    const mod = discord.addRole(guild.guildId, { name: 'Mod', permissions: PermissionFlagsBits.BanMembers }).id;
    await known(mod);
    expect((await review('verified,,Mod')).words).to.contain('Ban Members');
  });

  it('The button Import imports nothing when a role has gained a dangerous permission after the review', async () => {
    const shown = await review('verified,,Low');
    discord.updateRole(guild.guildId, low, { permissions: PermissionFlagsBits.Administrator });
    await factsWhere(guild.guildId, ({ roles }) => roles.get(low)?.permissions !== 0n);
    expect((await press(shown, 'Import 1')).words).to.contain('changed since you read it');
    expect(await mapped()).to.deep.equal([]);
  });

  it('A newer review replaces the older one of the same person, and the older button imports nothing', async () => {
    const first = await review('verified,,Low');
    const second = await review('unverified,,Low');
    expect((await press(first, 'Import 1')).words).to.contain('has been replaced');
    expect(await mapped()).to.deep.equal([]);
    await press(second, 'Import 1');
    expect((await listAllMappings(guild.guildId)).map(({ condition }) => condition.type)).to.deep.equal(['unverified']);
  });

  it('The button Import does nothing a day after the review, when the text is gone', async () => {
    const shown = await review('verified,,Low');
    const waiting = { guildId: guild.guildId };
    await purgeRemembered(new Date(clock.epochMs() + dayMs - 60_000));
    expect(await remembered('review_draft', waiting)).to.have.length(1);
    await purgeRemembered(new Date(clock.epochMs() + dayMs + 1));
    expect(await remembered('review_draft', waiting)).to.have.length(0);
    expect((await press(shown, 'Import 1')).words).to.contain('has been replaced');
    expect(await mapped()).to.deep.equal([]);
  });
});
