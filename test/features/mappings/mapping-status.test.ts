import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import type { Condition } from '../../../src/features/mappings/condition.js';
import type { Mapping } from '../../../src/features/mappings/mapping-model.js';
import {
  mappingStatus,
  missingGameRoles,
  missingGroupIds,
  roleWarnings,
} from '../../../src/features/mappings/mapping-status.js';
import type { DiscordRole, GuildFacts } from '../../../src/platforms/discord/guild-facts.js';

const guildId = '1';
const { ManageRoles, BanMembers, Administrator, SendMessages } = PermissionFlagsBits;

function role(roleId: string, position: number, extra: Partial<DiscordRole> = {}): DiscordRole {
  return { roleId, name: `role ${roleId}`, position, managed: false, permissions: 0n, ...extra };
}

const bot = role('50', 5, { managed: true });
const roles = [role(guildId, 0), role('10', 1), role('11', 4), role('12', 6), role('13', 2, { managed: true }), bot];

function facts(permissions: bigint = ManageRoles): GuildFacts {
  return {
    guildId,
    ownerId: '99',
    roles: new Map(roles.map((known) => [known.roleId, known])),
    bot: { roleIds: ['50'], permissions, highestRole: bot },
  };
}

const groups = [
  { groupId: '7', gone: false, roles: [{ gameRoleId: '70', name: 'Foreman', rank: 50 }] },
  { groupId: '8', gone: true, roles: [] },
];

function mapping(roleIds: string[], condition: Condition = { type: 'verified' }): Mapping {
  const createdAt = new Date(0);
  const flags = { nickname: null, removeWhenUnmatched: true, enabled: true };
  return { _id: 'map_1', guildId, name: null, condition, roleIds, ...flags, createdAt, updatedAt: createdAt };
}

describe('The status of a mapping', () => {
  it('A mapping is ok when the bot can hand out every role', () => {
    expect(mappingStatus(mapping(['10', '11']), facts(), groups)).to.equal('ok');
  });

  for (const [kind, roleId] of Object.entries({ above: '12', managed: '13', everyone: guildId, 'its own': '50' })) {
    it(`A mapping is role_unmanageable for a role that is ${kind}`, () => {
      expect(mappingStatus(mapping(['10', roleId]), facts(), groups)).to.equal('role_unmanageable');
    });
  }

  it('A mapping is role_unmanageable without Manage Roles, which Administrator includes', () => {
    expect(mappingStatus(mapping(['10']), facts(SendMessages), groups)).to.equal('role_unmanageable');
    expect(mappingStatus(mapping(['10']), facts(Administrator), groups)).to.equal('ok');
  });

  it('A mapping is role_missing for a deleted role, whatever else is wrong with the roles', () => {
    expect(mappingStatus(mapping(['12', '404']), facts(SendMessages), groups)).to.equal('role_missing');
  });

  it('A mapping is role_missing for a game role that the group no longer has', () => {
    const wanted = (gameRoleId: string): Condition => ({
      type: 'not',
      of: { type: 'group_role', groupId: '7', gameRoleId },
    });
    expect(mappingStatus(mapping(['10'], wanted('70')), facts(), groups)).to.equal('ok');
    expect(mappingStatus(mapping(['10'], wanted('71')), facts(), groups)).to.equal('role_missing');
    expect(missingGameRoles(mapping(['10'], wanted('71')), groups)).to.deep.equal([{ groupId: '7', gameRoleId: '71' }]);
  });

  it('A mapping is group_missing for a group that is not attached or gone, whatever else is wrong', () => {
    for (const groupId of ['8', '9']) {
      const wanted: Condition = { type: 'any', of: [{ type: 'verified' }, { type: 'group_member', groupId }] };
      expect(mappingStatus(mapping(['404'], wanted), facts(), groups)).to.equal('group_missing');
      expect(missingGroupIds(mapping(['404'], wanted), groups)).to.deep.equal([groupId]);
    }
  });
});

describe('The warnings about roles', () => {
  it('Warnings name the dangerous permissions of each role, and only those', () => {
    const known = facts();
    const withRoles = new Map([
      ...known.roles,
      ['20', role('20', 1, { permissions: BanMembers | SendMessages })] as const,
      ['21', role('21', 1, { permissions: SendMessages })] as const,
    ]);
    expect(roleWarnings(['20', '21', '404'], { ...known, roles: withRoles })).to.deep.equal([
      { roleId: '20', permissions: ['BanMembers'] },
    ]);
  });
});
