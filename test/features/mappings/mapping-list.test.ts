import { expect } from 'chai';
import { Mappings } from '../../../src/features/mappings/mapping-model.js';
import { buildGuild, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

/** A guild with a role, a group and three mappings: `Staff` by the group, `Verifié` without it, and one without a name. */
async function buildMapped() {
  const { discord, roblox } = await world();
  const guild = await buildGuild();
  const [officer, guest] = ['Officer', 'Guest'].map((name) => discord.addRole(guild.guildId, { name }).id);
  const { id: groupId } = roblox.addGroup({ name: 'Builders' });
  await guild.api.post(`${guild.path}/groups`, { groupId });
  const make = async (draft: object) => (await guild.api.post(`${guild.path}/mappings`, draft)).body.mappingId;
  const byGroup = { type: 'group_member', groupId };
  const staff = await make({ name: 'Staff', condition: byGroup, roleIds: [officer] });
  const verified = await make({ name: 'Verifié'.normalize('NFD'), condition: { type: 'verified' }, roleIds: [guest] });
  const off = await make({ condition: { type: 'unverified' }, roleIds: [guest], enabled: false });
  return { ...guild, officer, guest, groupId, ids: { staff, verified, off } };
}

const found = async ({ api, path }: TestGuild, query: string): Promise<string[]> => {
  const { status, body } = await api.get(`${path}/mappings?${query}`);
  expect(status).to.equal(200);
  return body.data.map(({ mappingId }: { mappingId: string }) => mappingId);
};

describe('Search of the list of mappings', () => {
  it('The mapping list finds mappings by parts of the names of mapping, role and group, and by each filter', async () => {
    const guild = await buildMapped();
    const { staff, verified, off } = guild.ids;
    for (const [query, ids] of [
      ['q=taf', [staff]],
      ['q=GUEST', [verified, off]],
      ['q=builders', [staff]],
      ['q=nothing', []],
      [`q=${encodeURIComponent('FIÉ'.normalize('NFC'))}`, [verified]],
      [`roleId=${guild.officer}`, [staff]],
      [`groupId=${guild.groupId}`, [staff]],
      ['enabled=false', [off]],
      ['enabled=true&q=guest', [verified]],
      ['status=ok', [staff, verified, off]],
      ['status=role_missing', []],
    ] as const) {
      expect(await found(guild, query), query).to.have.members([...ids]);
    }
  });
});

describe('If-Match on a mapping', () => {
  // MAP-16
  it('If-Match lets one of two changes of the same version win, and refuses the other', async () => {
    const guild = await buildMapped();
    const path = `${guild.path}/mappings/${guild.ids.staff}`;
    const { body, headers } = await guild.api.get(path);
    const tag = headers.get('etag') ?? '';
    expect(tag).to.equal(`"${Date.parse(body.updatedAt)}"`);
    const { condition, roleIds } = body;
    const change = (name: string) => guild.api.put(path, { name, condition, roleIds }, { 'if-match': tag });
    const answers = await Promise.all([change('One'), change('Two')]);
    expect(answers.map(({ status }) => status)).to.have.members([200, 412]);
    const [won] = answers.filter(({ status }) => status === 200);
    const stored = await Mappings.findOne({ _id: guild.ids.staff, guildId: guild.guildId });
    expect(won?.body.name).to.equal(stored?.name);
    expect(won?.headers.get('etag')).to.equal(`"${stored?.updatedAt.getTime()}"`);
    expect((await change('Three')).body.code).to.equal('version_mismatch');
    expect((await guild.api.delete(path, { 'if-match': tag })).status).to.equal(412);
    expect((await guild.api.delete(path, { 'if-match': won?.headers.get('etag') ?? '' })).status).to.equal(204);
  });

  it('The ETag of a new mapping changes with each write, even within a millisecond', async () => {
    const guild = await buildMapped();
    const draft = { condition: { type: 'verified' }, roleIds: [guild.officer] };
    const { body, headers } = await guild.api.post(`${guild.path}/mappings`, draft);
    const ahead = new Date(Date.now() + 60_000);
    await Mappings.update({ _id: body.mappingId, guildId: guild.guildId }, { $set: { updatedAt: ahead } });
    const path = `${guild.path}/mappings/${body.mappingId}`;
    const next = await guild.api.put(path, { ...draft, name: 'Other' });
    expect(next.headers.get('etag'))
      .to.equal(`"${ahead.getTime() + 1}"`)
      .and.not.equal(headers.get('etag'));
  });
});
