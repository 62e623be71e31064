import { expect } from 'chai';
import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import type { DiscordRole, GuildFacts } from '../../../src/platforms/discord/guild-facts.js';
import {
  dangerousPermissions,
  everyPermission,
  isAdministrator,
  managesGuild,
  mayChat,
  mayKick,
  mayManageNicknames,
  mayManageRoles,
  mayWrite,
  permissionNames,
} from '../../../src/platforms/discord/permissions.js';
import {
  blockReason,
  describeObstacle,
  nicknameObstacle,
  obstacleOfRole,
  partsOfObstacle,
  roleObstacle,
} from '../../../src/platforms/discord/role-hierarchy.js';

const names = Object.keys(PermissionFlagsBits) as (keyof typeof PermissionFlagsBits)[];

/** The permissions that suffice by themselves. */
const sufficing = (asks: (permissions: bigint) => boolean): string[] =>
  names.filter((name) => asks(PermissionFlagsBits[name])).sort();

describe('Permissions', () => {
  it('One permission suffices for its own actions, and Administrator for everything', () => {
    expect(sufficing(managesGuild)).to.deep.equal(['Administrator', 'ManageGuild']);
    expect(sufficing(mayManageRoles)).to.deep.equal(['Administrator', 'ManageRoles']);
    expect(sufficing(mayManageNicknames)).to.deep.equal(['Administrator', 'ManageNicknames']);
    expect(sufficing(mayKick)).to.deep.equal(['Administrator', 'KickMembers']);
    expect(sufficing(isAdministrator)).to.deep.equal(['Administrator']);
    for (const asks of [managesGuild, mayManageRoles, mayManageNicknames, mayKick, isAdministrator]) {
      expect([asks(0n), asks(everyPermission)]).to.deep.equal([false, true]);
    }
  });

  it('A person may post where they may both see and write', () => {
    const { ViewChannel, SendMessages, EmbedLinks } = PermissionFlagsBits;
    expect(mayWrite(ViewChannel | SendMessages | EmbedLinks)).to.equal(true);
    for (const less of [0n, ViewChannel, SendMessages, EmbedLinks]) expect(mayWrite(less)).to.equal(false);
    expect(mayChat(ViewChannel | SendMessages)).to.equal(true);
    for (const less of [0n, ViewChannel, SendMessages, EmbedLinks]) expect(mayChat(less)).to.equal(false);
  });

  it('The dangerous permissions are those of AUTH-39', () => {
    const dangerous = [
      ...['Administrator', 'ManageGuild', 'ManageRoles', 'ManageChannels', 'ManageWebhooks', 'KickMembers'],
      ...['BanMembers', 'ModerateMembers', 'MentionEveryone', 'ManageMessages', 'ManageThreads', 'ManageNicknames'],
      ...['ManageEvents', 'ManageGuildExpressions', 'ViewAuditLog', 'MuteMembers', 'DeafenMembers', 'MoveMembers'],
    ];
    // With two names for one permission either is right.
    const bitsOf = (among: readonly string[]): bigint => new PermissionsBitField(among as typeof names).bitfield;
    expect(bitsOf(dangerousPermissions(everyPermission))).to.equal(bitsOf(dangerous));
    expect(dangerousPermissions(PermissionFlagsBits.SendMessages)).to.deep.equal([]);
    expect(dangerousPermissions(0n)).to.deep.equal([]);
  });

  it('permissionNames gives permissions Discord’s names', () => {
    const { ManageRoles, ViewChannel } = PermissionFlagsBits;
    expect(permissionNames(ManageRoles | ViewChannel)).to.have.members(['ManageRoles', 'ViewChannel']);
    expect(permissionNames(PermissionFlagsBits.CreateInstantInvite)).to.deep.equal(['CreateInstantInvite']);
    expect(permissionNames(0n)).to.deep.equal([]);
  });
});

describe('Obstacles of a role', () => {
  const role = (roleId: string, change: Partial<DiscordRole> = {}): DiscordRole => ({
    ...{ roleId, name: `role ${roleId}`, position: 1, managed: false, permissions: 0n },
    ...change,
  });
  const bot = role('900', { name: 'Bot', position: 5, managed: true });
  const given = [
    role('100', { position: 0 }),
    role('1'),
    role('2', { managed: true }),
    role('3', { position: 6 }),
    // With two at one position the older stands above.
    role('899', { position: 5 }),
    role('901', { position: 5 }),
    role('5', { permissions: PermissionFlagsBits.BanMembers | PermissionFlagsBits.Speak }),
    role('6', { permissions: PermissionFlagsBits.KickMembers | PermissionFlagsBits.BanMembers }),
  ];
  const factsWith = (permissions: bigint): GuildFacts => ({
    guildId: '100',
    ownerId: '7',
    roles: new Map([...given, bot].map((each) => [each.roleId, each])),
    bot: { roleIds: [bot.roleId], permissions, highestRole: bot },
  });
  const facts = factsWith(PermissionFlagsBits.ManageRoles);

  it('The first listed obstacle of a role is one that a person can resolve', () => {
    const found = ['1', '4', '100', '2', '3', '899', '901', '900'].map((roleId) => roleObstacle(facts, roleId));
    expect(found).to.deep.equal([
      ...[null, 'role_deleted', 'everyone_role', 'role_managed', 'role_above_bot', 'role_above_bot', null],
      'role_managed',
    ]);
    expect(roleObstacle(factsWith(0n), '1')).to.equal('missing_permission');
    expect(roleObstacle(factsWith(0n), '2')).to.equal('role_managed');
    expect(roleObstacle(factsWith(PermissionFlagsBits.Administrator), '1')).to.equal(null);
  });

  it('An obstacle of a role is described with the names of the role and of the bot’s role', () => {
    expect(describeObstacle(facts, '3', 'role_above_bot'))
      .to.include('role 3')
      .and.to.include('Bot');
    expect(describeObstacle(facts, '5', 'became_dangerous')).to.include('Ban Members');
    expect(describeObstacle(facts, '6', 'became_dangerous')).to.include('Kick Members, Ban Members');
    expect(partsOfObstacle(facts, '5')).to.deep.equal({
      roleName: 'role 5',
      botRoleName: 'Bot',
      permissions: ['BanMembers'],
    });
    expect(partsOfObstacle(facts, '4')).to.deep.equal({ roleName: '4', botRoleName: 'Bot', permissions: [] });
  });

  it('Obstacles and block reasons of roles have exactly the names that answers may show', () => {
    const ofDiscord = ['role_deleted', 'everyone_role', 'role_managed', 'missing_permission', 'role_above_bot'];
    expect(obstacleOfRole.options).to.deep.equal(ofDiscord);
    expect(blockReason.options).to.deep.equal([
      ...ofDiscord,
      'became_dangerous',
      'removal_limit',
      'beyond_word',
      'refused_by_discord',
    ]);
    expect(nicknameObstacle.options).to.include.members(['guild_owner', 'member_above_bot', 'refused_by_discord']);
  });
});
