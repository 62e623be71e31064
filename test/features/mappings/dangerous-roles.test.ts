import { expect } from 'chai';
import { PermissionFlagsBits, PermissionsBitField } from 'discord.js';
import { dangerousPermissions } from '../../../src/platforms/discord/permissions.js';
import { privateWords } from '../../commands/private-answer.js';
import { api } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { linkPerson, tokenFor } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';
import { preview } from '../sync/preview-setup.js';
import { resyncIn } from '../sync/resync-setup.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  rolesOf,
  sync,
  withoutNicknames,
} from '../sync/sync-setup.js';
import { buildTeammate } from '../team/team-setup.js';
import { loggedWhen, rolesSettled } from './roles-setup.js';

const { ManageMessages, MuteMembers, ManageRoles, SendMessages } = PermissionFlagsBits;

describe('Dangerous permissions', () => {
  withPromptSyncs();
  it('Every permission to moderate, to manage or to see others’ activity is dangerous', () => {
    const managing = PermissionsBitField.Flags;
    const names = Object.keys(managing).filter((name) =>
      /^(Administrator|Manage|Kick|Ban|Moderate|MentionEveryone|ViewAuditLog|(Mute|Deafen|Move)Members)/.test(name),
    );
    const unlisted = names.filter((name) => {
      const bit = managing[name as keyof typeof managing];
      return dangerousPermissions(bit).length === 0;
    });
    expect(names).to.include.members(['ManageMessages', 'ManageThreads', 'ManageNicknames', 'ManageEvents']);
    expect(unlisted).to.deep.equal([]);
    expect(dangerousPermissions(SendMessages)).to.deep.equal([]);
  });
});

/** AUTH-40: a mapped role that becomes dangerous is held until an admin confirms it. */
describe('A mapped role that becomes dangerous', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let roleId: string;
  let mappingId: string;
  const draft = () => ({ condition: { type: 'verified' }, roleIds: [roleId] });

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    roleId = await addRole(guild, { name: 'Helper' });
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    const { status, body } = await manager.post(`${guild.path}/mappings`, draft());
    expect(status, JSON.stringify(body)).to.equal(201);
    mappingId = body.mappingId;
  });

  async function permit(permissions: bigint): Promise<void> {
    discord.updateRole(guild.guildId, roleId, { permissions });
    await factsWhere(guild.guildId, ({ roles }) => roles.get(roleId)?.permissions === permissions, 'the permissions');
  }
  const mappingNow = async () => (await guild.api.get(`${guild.path}/mappings`)).body.data[0];
  const healthCodes = async (): Promise<string[]> =>
    (await guild.api.get(guild.path)).body.health.map(({ code }: { code: string }) => code);
  const put = (caller = guild.api) => caller.put(`${guild.path}/mappings/${mappingId}`, draft());
  const blocked = () => [{ roleId, reason: 'became_dangerous' }];

  it('A role that became dangerous is neither given nor taken, and named in status, health, log and results', async () => {
    const has = await buildSettledMember(guild);
    expect(await rolesOf(guild, has)).to.deep.equal([roleId]);
    await rolesSettled(guild);
    await permit(SendMessages | ManageMessages);
    const lacks = await buildSettledMember(guild);

    expect(await mappingNow()).to.include({ status: 'role_dangerous' });
    expect((await guild.api.get(guild.path)).body.health).to.deep.include({
      code: 'became_dangerous',
      severity: 'error',
      mappingIds: [mappingId],
      roleId,
      roleName: 'Helper',
      permissions: ['ManageMessages'],
      holders: 1,
      detail:
        "The role Helper has gained dangerous permissions since it was mapped (Manage Messages). Rolelink won't give or remove it until an admin confirms its mapping: /mapping confirm. 1 member has Helper.",
    });
    expect(await loggedWhen(guild, 1)).to.deep.equal(['role.blocked Helper']);
    expect(await sync(guild, lacks)).to.deep.include({ added: [], blocked: blocked() });
    expect(await rolesOf(guild, lacks)).to.deep.equal([]);

    await guild.api.delete(`${guild.path}/members/${has.chatUserId}/link`);
    expect(await sync(guild, has)).to.deep.include({ removed: [], blocked: blocked() });
    expect(await rolesOf(guild, has)).to.deep.equal([roleId]);
  });

  // AUTH-41
  it('A role that became dangerous works again once an admin above it has confirmed it, until it gains more', async () => {
    await rolesSettled(guild);
    await permit(ManageMessages);
    const person = await buildSettledMember(guild);
    await loggedWhen(guild, 1);
    const refused = [api(await tokenFor(guild.guildId, 'manager')), (await buildTeammate(guild, 'admin')).api];
    for (const caller of refused) expect((await put(caller)).status).to.equal(403);
    expect(await mappingNow()).to.include({ status: 'role_dangerous' });

    const { status, body } = await put();
    expect([status, body.status, body.warnings]).to.deep.equal([
      200,
      'ok',
      [{ roleId, permissions: ['ManageMessages'] }],
    ]);
    expect(await healthCodes()).not.to.include('became_dangerous');
    expect(await loggedWhen(guild, 2)).to.deep.equal(['role.blocked Helper', 'role.unblocked Helper']);
    const { data } = (await guild.api.get(`${guild.path}/logs?action=mapping.updated`)).body;
    expect(data[0].changes).to.deep.equal({
      confirmedDangers: { from: null, to: [{ roleId, permissions: ['ManageMessages'] }] },
    });
    expect((await sync(guild, person)).added).to.deep.equal([roleId]);

    await permit(ManageMessages | MuteMembers);
    expect(await mappingNow()).to.include({ status: 'role_dangerous' });
    await permit(ManageMessages);
    expect(await mappingNow()).to.include({ status: 'ok' });
  });

  // AUTH-41
  it('The command /mapping confirm confirms a role that became dangerous, too', async () => {
    await permit(ManageRoles);
    const words = await privateWords(
      discord.command(guild.guildId, guild.ownerId, 'mapping confirm', { mapping: mappingId }),
    );
    expect(words).to.contain('Mapping confirmed').and.to.contain('gives Manage Roles');
    expect(await mappingNow()).to.include({ status: 'ok' });
  });

  it('A resync by an older preview does not give a role that became dangerous since', async () => {
    const person = await buildSettledMember(guild, { linked: false });
    await linkPerson(guild.guildId, person);
    const shown = await preview(guild);
    expect(shown.summary).to.include({ adding: 1 });
    await permit(ManageRoles);
    const { status, body } = await guild.api.post(`${guild.path}/resync`, { previewId: shown.previewId });
    expect(status).to.equal(202);
    const done = await resyncIn(guild, body.jobId, 'completed');
    expect(done).to.include({ changed: 0, blocked: 1 });
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    expect((await preview(guild)).members[0].blocked).to.deep.equal(blocked());
  });
});
