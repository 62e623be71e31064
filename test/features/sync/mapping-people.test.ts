import { expect } from 'chai';
import { keepPeople } from '../../../src/features/mappings/mapping-people.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import type { ApiAnswer } from '../../support/api.js';
import { type World, world } from '../../support/world.js';
import { at, preview } from './preview-setup.js';
import { caughtUp, enqueueNow } from './reconciliation-setup.js';
import { buildResyncGuild, type ResyncGuild, resync } from './resync-setup.js';

// MAP-15
describe('People counted by mapping', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: ResyncGuild;

  beforeEach(async () => {
    ({ discord, roblox } = await world());
    // All four are in the group, and two hold its role.
    guild = await buildResyncGuild({ count: 4, inStep: 2 });
  });

  const mappings = async (): Promise<ApiAnswer['body'][]> => (await guild.api.get(`${guild.path}/mappings`)).body.data;

  /** By the role that each mapping gives: how many match, and how many have it; null: not counted. */
  async function people(): Promise<Record<string, [matching: number, holding: number] | null>> {
    const told = (await mappings()).map(({ roleIds, people }) => [
      roleIds[0] === guild.memberRole ? 'member' : roleIds[0] === guild.officerRole ? 'officer' : 'other',
      people && [people.matching, people.holding],
    ]);
    return Object.fromEntries(told);
  }

  it('A mapping returns no number of people before the first whole plan', async () => {
    expect(await people()).to.deep.equal({ member: null, officer: null });
  });

  it('A preview of everyone counts the people of each mapping as they are now', async () => {
    const before = clock.now();
    await preview(guild);
    expect(await people()).to.deep.equal({ member: [4, 2], officer: [0, 0] });
    const [one] = await mappings();
    expect(Date.parse(one.people.asOf)).to.be.within(before.getTime(), clock.epochMs());
    const alone = await guild.api.get(`${guild.path}/mappings/${one.mappingId}`);
    expect(alone.body.people).to.deep.equal(one.people);
  });

  it('A preview of some members or of drafts stores no count for a mapping', async () => {
    const condition = { type: 'verified' };
    await preview(guild, { memberIds: [at(guild.people, 0).chatUserId] });
    await preview(guild, { mappings: [{ condition, roleIds: [guild.memberRole] }] });
    await preview(guild, { change: { mapping: { condition, roleIds: [guild.memberRole] } } });
    expect(await people()).to.deep.equal({ member: null, officer: null });
  });

  it('A resync counts the people of each mapping as it leaves them', async () => {
    roblox.setRank(guild.groupId, at(guild.people, 3).gameUserId, 100);
    await resync(guild);
    expect(await people()).to.deep.equal({ member: [4, 4], officer: [1, 1] });
  });

  it('People that the bot can’t give a role are not counted as its holders', async () => {
    const above = discord.addRole(guild.guildId, { name: 'Boss' }).id;
    const condition = { type: 'group_rank', groupId: guild.groupId, min: 1, max: 255 };
    expect((await guild.api.post(`${guild.path}/mappings`, { condition, roleIds: [above] })).status).to.equal(201);
    discord.moveRole(guild.guildId, above, 50);
    await resync(guild);
    expect(await people()).to.deep.include({ member: [4, 4], other: [4, 0] });
  });

  it('The daily reconciliation counts the people of each mapping', async () => {
    await enqueueNow(guild);
    await caughtUp(guild);
    expect(await people()).to.deep.include({ member: [4, 4] });
    await clock.advance(hourMs);
    roblox.leaveGroup(guild.groupId, at(guild.people, 0).gameUserId);
    await enqueueNow(guild);
    await caughtUp(guild);
    expect(await people()).to.deep.include({ member: [3, 3] });
  });

  it('A change of a mapping forgets its number of people, and only its own', async () => {
    await resync(guild);
    const [one] = await mappings();
    const { condition, roleIds } = one;
    const put = await guild.api.put(`${guild.path}/mappings/${one.mappingId}`, { condition, roleIds, name: 'New' });
    expect(put.body).to.include({ name: 'New', people: null });
    expect(await people()).to.deep.equal({ member: null, officer: [0, 0] });
    await resync(guild);
    expect(await people()).to.deep.equal({ member: [4, 4], officer: [0, 0] });
  });

  it('A number of people is not kept with a mapping that was changed during the plan', async () => {
    const [one] = await mappings();
    const { mappingId, condition, roleIds, updatedAt } = one;
    await guild.api.put(`${guild.path}/mappings/${mappingId}`, { condition, roleIds, name: 'Newer' });
    const people4 = { matching: 4, holding: 4, asOf: clock.now() };
    await keepPeople(guild.guildId, [{ mappingId, version: new Date(updatedAt), people: people4 }]);
    expect(await people()).to.deep.include({ member: null });
  });

  it('A preview counts no people for a mapping with a group that is gone from Roblox', async () => {
    roblox.removeGroup(guild.groupId);
    await preview(guild);
    expect(await people()).to.deep.equal({ member: null, officer: null });
  });
});
