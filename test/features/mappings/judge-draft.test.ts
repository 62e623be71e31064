import { expect } from 'chai';
import type { RuleAuthor } from '../../../src/core/actors/reach.js';
import { mappingDraft } from '../../../src/features/mappings/mapping-draft.js';
import { judgeDraft } from '../../../src/features/mappings/mapping-rules.js';
import { readMappingsSnapshot } from '../../../src/features/mappings/mappings-snapshot.js';
import { buildGuild } from '../../support/build.js';

const mapper: RuleAuthor = { chatUserId: null, role: 'admin', ceilingRoleId: null };

describe('The judgement of a draft', () => {
  it('All obstacles of a draft are returned in one answer, in the order of the doors', async () => {
    const guild = await buildGuild();
    const snapshot = await readMappingsSnapshot({ _id: guild.guildId, plan: 'free' });
    const draft = mappingDraft.parse({
      condition: { type: 'group_member', groupId: '77' },
      roleIds: ['123456789012345678'],
      nickname: { template: '{groupRole:78}' },
    });
    const judged = judgeDraft(snapshot, mapper, draft);
    expect(judged.map(({ kind }) => kind)).to.deep.equal(['unknown', 'template', 'condition']);
    // A mapping that has everything already may keep it.
    const before = { ...draft, _id: 'map_1', guildId: guild.guildId, createdAt: new Date(), updatedAt: new Date() };
    expect(judgeDraft(snapshot, mapper, draft, before)).to.deep.equal([]);
  });

  it('A role above the mapper is refused before a role that the bot can not give', async () => {
    const guild = await buildGuild();
    const snapshot = await readMappingsSnapshot({ _id: guild.guildId, plan: 'free' });
    const [botRole] = [...snapshot.facts.roles.values()].filter(({ managed }) => managed);
    const draft = mappingDraft.parse({ condition: { type: 'verified' }, roleIds: [botRole?.roleId] });
    const nobody: RuleAuthor = { chatUserId: null, role: 'viewer', ceilingRoleId: guild.guildId };
    const kinds = judgeDraft(snapshot, nobody, draft).map(({ kind }) => kind);
    expect(kinds.slice(-2)).to.deep.equal(['above', 'unmanageable']);
  });
});
