import { expect } from 'chai';
import type { GuildSettings } from '../../../src/core/settings/guild-settings.js';
import { type World, world } from '../../support/world.js';
import { addRole, buildGroupGuild, type GroupGuild } from '../sync/sync-setup.js';

/** Ids that no group on the sandbox has, others for each call. */
let serial = 0;
function unknownIds(count: number): string[] {
  serial += 1_000;
  return Array.from({ length: count }, (_, index) => String(880_000_000 + serial + index));
}

// API-38, API-39
describe('Named groups that Roblox does not know', () => {
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let config: { settings: GuildSettings };

  beforeEach(async () => {
    ({ roblox } = await world());
    guild = await buildGroupGuild();
    config = (await guild.api.get(`${guild.path}/config`)).body;
    roblox.forgetRequests();
  });

  const reads = () => roblox.requests.filter(({ path }) => /\/groups\/\d{9}$/.test(path)).length;

  it('Unknown groups cost a few reads in a configuration, for any number of names and tries', async () => {
    const groups = unknownIds(249);
    for (let time = 0; time < 4; time += 1) {
      const answer = await guild.api.put(`${guild.path}/config?dryRun=true`, { ...config, groups });
      expect(answer.status, JSON.stringify(answer.body)).to.equal(400);
      expect(answer.body.errors[0]).to.deep.equal({ path: 'groups.0', message: 'is not a group that Roblox knows' });
    }
    expect(reads()).to.be.within(3, 4);
  });

  // SET-3
  it('Unknown groups cost a few reads among the restrictions', async () => {
    const restrictions = { ...config.settings.restrictions, deniedGroupIds: unknownIds(20) };
    for (let time = 0; time < 4; time += 1) {
      const answer = await guild.api.put(`${guild.path}/settings`, { ...config.settings, restrictions });
      expect(answer.status).to.equal(400);
      expect(answer.body.errors[0].message).to.equal('is not a group on Roblox');
    }
    expect(reads()).to.be.within(3, 4);
  });

  it('Unknown groups cost a few reads in an import, which refuses the lines that name the others and takes the rest', async () => {
    await addRole(guild, { name: 'Officer' });
    const named = unknownIds(200).map((groupId) => `group_member,${groupId},Officer`);
    const text = ['condition,group,roles', ...named, 'verified,,Officer'].join('\n');
    const send = () => guild.api.post(`${guild.path}/mappings/import`, { format: 'csv', text, addGroups: true });
    for (let time = 0; time < 4; time += 1) {
      const { status, body } = await send();
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body.refused).to.have.length(200);
      expect(body.refused[199].message).to.contain('was not looked up');
    }
    expect(reads()).to.be.within(10, 12);
  });

  it('Previews of drafts read an unknown group once', async () => {
    const restrictions = { ...config.settings.restrictions, deniedGroupIds: unknownIds(20) };
    for (let time = 0; time < 3; time += 1) {
      await guild.api.post(`${guild.path}/sync/preview`, { settings: { ...config.settings, restrictions } });
    }
    expect(reads()).to.equal(20);
  });

  it('A server may look up unknown groups 60 times a minute, and is then refused with the time to wait', async () => {
    const answers = [];
    for (const groupId of unknownIds(61)) answers.push(await guild.api.post(`${guild.path}/groups`, { groupId }));
    expect(answers.map(({ status }) => status).filter((status) => status === 422)).to.have.length.within(58, 60);
    expect([answers.at(-1)?.status, answers.at(-1)?.body.code]).to.deep.equal([429, 'rate_limited']);
    expect(Number(answers.at(-1)?.headers.get('retry-after'))).to.be.within(1, 62);
  });
});
