import { expect } from 'chai';
import { takenByRules } from '../../../src/features/mapping-import/import-overlaps.js';
import { privateAnswer } from '../../commands/private-answer.js';
import { eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addRole, buildGroupGuild, type GroupGuild } from '../sync/sync-setup.js';

// CONF-63, CONF-64
describe('Rules of an import that overlap', () => {
  let discord: World['discord'];
  let guild: GroupGuild;
  let groupId: string;
  const ids: Record<string, string> = {};

  beforeEach(async () => {
    const { discord: sandbox, roblox } = await world();
    discord = sandbox;
    guild = await buildGroupGuild();
    const ranks = { Guest: 0, Cadet: 1, Captain: 100, Major: 200 };
    groupId = roblox.addGroup({
      name: 'Star Fleet',
      roles: Object.entries(ranks).map(([name, rank]) => ({ name, rank })),
    }).id;
    for (const name of ['Cadet', 'Captain', 'Major', 'Staff']) ids[name] = await addRole(guild, { name });
  });

  const bloxlink = async (...lines: string[]) => {
    const text = [`Star Fleet (${groupId})`, ...lines].join('\n');
    const wish = { format: 'bloxlink', text, addGroups: true };
    const { status, body } = await guild.api.post(`${guild.path}/mappings/import`, wish);
    expect(status, JSON.stringify(body)).to.equal(200);
    return body;
  };
  const marks = ({ notes }: { notes: { line: number; code: string }[] }) => notes.map(({ line, code }) => [line, code]);

  it('A rule is marked whose role the mapping of the whole group gives to the same ranks', async () => {
    const body = await bloxlink(
      'Rank Captain (100):',
      'Role(s): @Captain',
      'Rank Cadet (1) or above:',
      'Role(s): @Cadet',
      'Rank Major (200):',
      'Role(s): @Major, @Staff',
      'Linked Groups',
      `Star Fleet (${groupId})`,
    );
    expect(body.created).to.have.length(4);
    expect(marks(body)).to.deep.equal([[2, 'given_twice']]);
    expect(body.notes[0].message).to.contain('Captain');
  });

  it('Roles to remove are noted only where no rule takes them itself', async () => {
    const body = await bloxlink(
      'Rank Cadet (1):',
      'Role(s): @Cadet',
      'Rank Captain (100):',
      'Role(s): @Captain',
      'Remove Roles: @Cadet',
      'Rank Major (200):',
      'Role(s): @Major',
      'Remove Roles: @Cadet, @Staff',
      'Ranks Captain (100) to Major (200):',
      'Role(s): @Staff',
      'Remove Roles: @Captain',
      'People with the rank Major (200) receive the role @Staff, and have these roles removed: @Cadet, @Captain',
    );
    expect(marks(body)).to.deep.equal([
      [9, 'left_out'],
      [12, 'left_out'],
    ]);
  });

  it('The rules of a group that is not added yet have its name and its ranks’ names', async () => {
    const text = `condition,group,gameRole,roles\ngroup_role,${groupId},Captain,Staff\ngroup_member,${groupId},,Cadet`;
    const { body } = await guild.api.post(`${guild.path}/mappings/import`, { format: 'csv', text, addGroups: true });
    expect(body.refused).to.deep.equal([]);
    const [{ name, roles }] = body.newGroups;
    expect([name, roles.map((role: { name: string }) => role.name)]).to.deep.equal(['Star Fleet', ['Captain']]);
    const file = discord.upload('rules.csv', text);
    await eventually(async () => {
      const asked = discord.command(guild.guildId, guild.ownerId, 'import', { file, from: 'csv' });
      const { words } = await privateAnswer(asked);
      return words.includes('Captain') && words.includes('Star Fleet') && !words.includes(groupId);
    }, 'the names in Discord');
  });
});

// CONF-39
describe('The work for rules of an import that overlap', () => {
  it('An import’s rules are looked at once, however many roles to remove it has', () => {
    const ranks = [1, 100].map((rank) => ({ gameRoleId: String(rank), name: `Rank ${rank}`, rank }));
    const group = { groupId: '7', name: 'Star Fleet', memberCount: 1, roles: ranks, gone: false };
    const times = { addedAt: new Date(0), refreshedAt: new Date(0) };
    const bot = { roleId: '9', name: 'Bot', position: 99, managed: true, permissions: 0n };
    const facts = {
      ...{ guildId: '1', ownerId: '2', roles: new Map() },
      bot: { roleIds: ['9'], permissions: 0n, highestRole: bot },
    };
    const groups = [{ guildId: '1', ...group, ...times }];
    let looks = 0;
    const rules = Array.from({ length: 100 }, () => ({
      get condition() {
        looks += 1;
        return { type: 'group_rank' as const, groupId: '7', min: 1, max: 1 };
      },
      ...{ roleIds: ['3'], removeWhenUnmatched: true, enabled: true },
    }));
    const isTaken = takenByRules(rules, { facts, groups });
    const once = looks;
    const bind = (rank: number) => ({
      roleIds: ['3'],
      condition: { type: 'group_rank' as const, groupId: '7', min: rank, max: rank },
    });
    for (let turn = 0; turn < 1_000; turn += 1)
      expect([isTaken(bind(100)), isTaken(bind(1))]).to.deep.equal([true, false]);
    expect(looks).to.equal(once);
  });
});
