import { expect } from 'chai';
import { Mappings } from '../../../src/features/mappings/mapping-model.js';
import { newId } from '../../../src/lib/ids.js';
import type { ApiAnswer } from '../../support/api.js';
import { type World, world } from '../../support/world.js';
import { at, byMember, preview } from './preview-setup.js';
import { buildResyncGuild, type ResyncGuild, resync } from './resync-setup.js';

describe('Previews of one changed mapping', () => {
  let discord: World['discord'];
  let guild: ResyncGuild;
  /** The mapping id that gives the officers their role. */
  let officers: string;

  beforeEach(async () => {
    const { roblox } = await world();
    ({ discord } = await world());
    guild = await buildResyncGuild({ count: 3 });
    roblox.setRank(guild.groupId, at(guild.people, 0).gameUserId, 100);
    await resync(guild);
    officers = at(await mappings(), 1).mappingId;
  });

  const mappings = async (): Promise<{ mappingId: string }[]> =>
    (await guild.api.get(`${guild.path}/mappings`)).body.data;
  const draft = (min: number, ...roleIds: string[]) => ({
    condition: { type: 'group_rank', groupId: guild.groupId, min, max: 255 },
    roleIds,
  });
  async function refused(body: object): Promise<[status: number, code: string]> {
    const answer: ApiAnswer = await guild.api.post(`${guild.path}/sync/preview`, body);
    return [answer.status, answer.body.code];
  }

  it('A preview of a changed mapping shows its effect in its place, among all others', async () => {
    const change = { mappingId: officers, mapping: draft(1, guild.officerRole) };
    const { summary, ...changed } = await preview(guild, { change });
    expect(summary).to.include({ checked: 4, changed: 2, adding: 2, removing: 0 });
    expect(byMember(changed)).not.to.have.property(at(guild.people, 0).chatUserId);
    const off = { ...draft(255, guild.officerRole), enabled: false };
    expect((await preview(guild, { change: { mappingId: officers, mapping: off } })).summary).to.include({
      changed: 0,
    });
  });

  it('A preview of a new mapping shows its effect', async () => {
    const added = discord.addRole(guild.guildId, { name: 'Added' }).id;
    const { summary, ...shown } = await preview(guild, { change: { mapping: draft(100, added) } });
    expect(summary).to.include({ changed: 1, adding: 1, removing: 0 });
    expect(byMember(shown)[at(guild.people, 0).chatUserId]).to.deep.include({ add: [added], remove: [] });
  });

  it('A preview refuses a change of a mapping of another guild, and a change together with drafts', async () => {
    const mapping = draft(1, guild.memberRole);
    const other = await buildResyncGuild({ count: 1 });
    const [foreign] = (await other.api.get(`${other.path}/mappings`)).body.data;
    for (const mappingId of ['map_0000000000000000deadbeef', foreign.mappingId]) {
      expect(await refused({ change: { mappingId, mapping } })).to.deep.equal([404, 'mapping_not_found']);
    }
    expect(await refused({ change: { mapping }, mappings: [] })).to.deep.equal([400, 'invalid_request']);
  });

  it('A changed mapping follows the rules of a stored one, except for a condition that it has already', async () => {
    const lost = { ...draft(1, guild.memberRole), condition: { type: 'group_member', groupId: '987654321' } } as const;
    const { status, body } = await guild.api.post(`${guild.path}/sync/preview`, { change: { mapping: lost } });
    expect([status, body.errors[0].path]).to.deep.equal([400, 'change.mapping.condition.groupId']);
    await Mappings.update({ guildId: guild.guildId, _id: officers }, { $set: { condition: lost.condition } });
    await preview(guild, { change: { mappingId: officers, mapping: lost } });
  });

  it('A preview of a changed mapping cannot be applied', async () => {
    const { previewId } = await preview(guild, { change: { mapping: draft(1, guild.memberRole) } });
    const applied = await guild.api.post(`${guild.path}/resync`, { previewId });
    expect(applied.body.code).to.equal('preview_of_drafts');
  });

  it('A preview of one change among as many mappings as a plan allows is small enough, unlike one of drafts', async () => {
    const { guildId, officerRole } = guild;
    const [stored] = await Mappings.find({ guildId, _id: officers });
    const others = Array.from({ length: 998 }, () => ({
      ...stored,
      _id: newId('map'),
      name: 'Officers by their rank',
    }));
    await Mappings.acrossGuilds.insertMany(others);
    const whole = await refused({
      mappings: others.map(({ name }) => ({ ...draft(100, officerRole), name })),
    });
    expect(whole).to.deep.equal([413, 'body_too_large']);
    const mapping = draft(1, officerRole);
    const { summary } = await preview(guild, { change: { mappingId: officers, mapping } });
    expect(summary).to.include({ checked: 4, changed: 2, adding: 2 });
    expect(await refused({ change: { mapping } })).to.deep.equal([402, 'plan_limit_reached']);
  });
});
