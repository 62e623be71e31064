import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { listAllMappings } from '../../../src/features/mappings/mapping-service.js';
import { buildGroupGuild, type GroupGuild, mapTo, rankFrom } from '../sync/sync-setup.js';

async function buildMapped(mappings: number) {
  const guild = await buildGroupGuild();
  const [roleId = ''] = await mapTo(guild, rankFrom(guild, 1));
  for (let n = 1; n < mappings; n += 1) await mapTo(guild, rankFrom(guild, n + 1), { roleIds: [roleId] });
  return { ...guild, roleId };
}

describe('Simultaneous changes of mappings', () => {
  const put = (guild: GroupGuild & { roleId: string }, mappingId: string, name: string) =>
    guild.api.put(`${guild.path}/mappings/${mappingId}`, {
      condition: rankFrom(guild, 1),
      roleIds: [guild.roleId],
      name,
    });

  it('Each of several simultaneous PUTs of one mapping replaces what the one before has written', async () => {
    const guild = await buildMapped(1);
    const [{ _id: mappingId } = expect.fail()] = await listAllMappings(guild.guildId);
    const names = ['One', 'Two', 'Three', 'Four', 'Five', 'Six'];
    const answers = await Promise.all(names.map((name) => put(guild, mappingId, name)));
    expect(answers.map(({ status }) => status)).to.deep.equal(names.map(() => 200));
    expect(answers.map(({ body }) => body.name)).to.deep.equal(names);
    const entries = (await latestEntries(guild.guildId, 20)).filter(({ action }) => action === 'mapping.updated');
    const steps = new Map(entries.map(({ changes }) => [changes?.name?.from, changes?.name?.to]));
    const chain = [];
    for (let name: unknown = null; steps.has(name); ) {
      name = steps.get(name);
      chain.push(name);
    }
    expect(chain).to.have.members(names);
    const [stored] = await listAllMappings(guild.guildId);
    expect(stored?.name).to.equal(chain.at(-1));
  });

  it('A group is detached with its mappings also while these are changed', async () => {
    const count = 6;
    const guild = await buildMapped(count);
    const ids = (await listAllMappings(guild.guildId)).map(({ _id }) => _id);
    let isDetached = false;
    const changing = ids.map(async (id) => {
      for (let turn = 0; !isDetached; turn += 1) {
        const { status } = await put(guild, id, `Turn ${turn}`);
        if (status !== 200) return status;
      }
      return 404;
    });
    const { status } = await guild.api.delete(`${guild.path}/groups/${guild.groupId}?cascade=true`);
    isDetached = true;
    expect(status).to.equal(204);
    expect(await Promise.all(changing)).to.deep.equal(ids.map(() => 404));
    expect(await listAllMappings(guild.guildId)).to.deep.equal([]);
  });
});
