import { isDeepStrictEqual } from 'node:util';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import {
  type GuildFacts,
  isAbove,
  readGuildFacts,
  readGuildFactsAfresh,
} from '../../../src/platforms/discord/guild-facts.js';
import { readMemberPermissions } from '../../../src/platforms/discord/guild-members.js';
import { GoneFromDiscord } from '../../../src/platforms/discord/rest/discord-call.js';
import { describeObstacle, roleObstacle } from '../../../src/platforms/discord/role-hierarchy.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

const comparable = ({ roles, bot, ...rest }: GuildFacts) => ({
  ...rest,
  roles: [...roles].sort(),
  bot: { ...bot, roleIds: [...bot.roleIds].sort() },
});

describe('Facts of a guild', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGuild();
  });

  /** Waits until the gateway's cache says the same as Discord's REST interface. */
  const inStep = () =>
    eventually(async () => {
      const [cached, fresh] = [await readGuildFacts(guild.guildId), await readGuildFactsAfresh(guild.guildId)];
      return isDeepStrictEqual(comparable(cached), comparable(fresh)) ? fresh : null;
    }, 'the cache');

  it('Facts of a guild are the same from the cache and past it, whatever happens to roles', async () => {
    const { guildId } = guild;
    const [first, second] = ['First', 'Second'].map((name) => discord.addRole(guildId, { name }).id);
    discord.addRole(guildId, { name: 'Managed', managed: true, permissions: PermissionFlagsBits.KickMembers });
    await inStep();
    discord.moveRole(guildId, first ?? '', 99);
    discord.updateRole(guildId, second ?? '', { name: 'Renamed', permissions: PermissionFlagsBits.ManageGuild });
    discord.deleteRole(guildId, discord.addRole(guildId, { name: 'Brief' }).id);
    const facts = await inStep();
    expect([...facts.roles.values()].map(({ name }) => name)).to.have.members([
      '@everyone',
      discord.application.name,
      'First',
      'Renamed',
      'Managed',
    ]);
    expect(facts.roles.get(second ?? '')).to.include({ permissions: PermissionFlagsBits.ManageGuild, managed: false });
    expect(facts.bot.highestRole.roleId).to.equal(discord.botRole(guildId).id);
    discord.moveRole(guildId, discord.botRole(guildId).id, 99);
    expect((await inStep()).bot.highestRole.position).to.equal(4);
  });

  it('Facts of a guild need no call while the gateway holds the guild', async () => {
    await readGuildFacts(guild.guildId);
    discord.forgetRequests();
    await readGuildFacts(guild.guildId);
    expect(discord.requests).to.deep.equal([]);
  });

  it('Facts of a guild take the bot’s permissions from all of its roles and @everyone', async () => {
    const { guildId } = guild;
    const extra = discord.addRole(guildId, { name: 'Extra', permissions: PermissionFlagsBits.BanMembers });
    discord.setMemberRoles(guildId, discord.application.botUserId, [discord.botRole(guildId).id, extra.id]);
    discord.updateRole(guildId, guildId, { permissions: PermissionFlagsBits.AddReactions });
    const { permissions, roleIds } = (await inStep()).bot;
    const { ManageRoles, BanMembers, AddReactions, KickMembers } = PermissionFlagsBits;
    expect(permissions & (ManageRoles | BanMembers | AddReactions)).to.equal(ManageRoles | BanMembers | AddReactions);
    expect(permissions & KickMembers).to.equal(0n);
    expect(roleIds).to.have.members([discord.botRole(guildId).id, extra.id]);
  });

  it('Facts of a guild are refused as gone once the bot has been removed', async () => {
    discord.removeBot(guild.guildId);
    const refused = () => readGuildFacts(guild.guildId).catch((error: unknown) => error);
    await eventually(async () => (await refused()) instanceof GoneFromDiscord, 'the refusal');
  });

  it('isAbove puts roles in Discord’s order', () => {
    const role = (roleId: string, position: number) => ({
      roleId,
      position,
      name: '',
      managed: false,
      permissions: 0n,
    });
    expect(isAbove(role('9', 2), role('8', 1))).to.equal(true);
    expect(isAbove(role('8', 1), role('9', 2))).to.equal(false);
    expect(isAbove(role('99', 1), role('100', 1))).to.equal(true);
    expect(isAbove(role('100', 1), role('99', 1))).to.equal(false);
  });

  it('Facts of a guild name the obstacle between the bot and a role, and the remedy', async () => {
    const { guildId } = guild;
    const low = discord.addRole(guildId, { name: 'Low' }).id;
    const high = discord.addRole(guildId, { name: 'High', position: 99 }).id;
    const managed = discord.addRole(guildId, { name: 'Booster', managed: true }).id;
    const facts = await inStep();
    const words = (roleId: string) => {
      const obstacle = roleObstacle(facts, roleId);
      return obstacle && [obstacle, describeObstacle(facts, roleId, obstacle)];
    };
    expect(words(low)).to.equal(null);
    expect(words(high))
      .to.deep.include('role_above_bot')
      .and.to.match(/Drag .* above High/);
    expect(words(managed)?.[0]).to.equal('role_managed');
    expect(words(guildId)?.[0]).to.equal('everyone_role');
    expect(words('123456789012345678')?.[0]).to.equal('role_deleted');
    discord.updateRole(guildId, discord.botRole(guildId).id, { permissions: 0n });
    const powerless = await inStep();
    expect(roleObstacle(powerless, low)).to.equal('missing_permission');
  });

  it('readMemberPermissions returns the permissions of a member, and null for a non-member', async () => {
    const { guildId } = guild;
    const { id: roleId } = discord.addRole(guildId, { name: 'Mod', permissions: PermissionFlagsBits.ManageGuild });
    const { chatUserId } = await buildMember(guild, { linked: false, roleIds: [roleId] });
    const bits = (await readMemberPermissions(guildId, chatUserId)) ?? 0n;
    expect(bits & PermissionFlagsBits.ManageGuild).to.equal(PermissionFlagsBits.ManageGuild);
    expect(await readMemberPermissions(guildId, (await buildPerson()).chatUserId)).to.equal(null);
  });
});
