import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { latestWholeResyncs } from '../../../src/features/sync/resync/resync-service.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { pairOf, runImport } from '../people-import/import-setup.js';
import { setSettings } from '../sync/sync-setup.js';

// OBS-94
describe('The way from another bot in the API', () => {
  let guild: TestGuild;
  beforeEach(async () => {
    guild = await buildGuild();
  });

  const read = async () => (await guild.api.get(`${guild.path}/move`)).body;
  const present = async () =>
    (await read()).steps.find(({ state }: { state: string }) => state === 'now')?.step ?? 'over';
  const setMode = (mode: 'observe' | 'enforce') => setSettings(guild, { mode });

  it('The way follows what is so, from observing to the other bot without its permission', async () => {
    const { discord } = await world();
    const bot = { name: 'Bloxlink', permissions: PermissionFlagsBits.ManageRoles, managed: true };
    const otherRole = discord.addRole(guild.guildId, bot).id;
    const given = discord.addRole(guild.guildId, { name: 'Crew' }).id;
    await eventually(async () => (await read()).otherBots.length === 1, 'the other bot');
    const person = await buildMember(guild, { linked: false });
    expect(await present()).to.equal('observe');
    await setMode('observe');
    expect(await present()).to.equal('people');
    await runImport(guild, { people: [pairOf(person)] });
    expect(await present()).to.equal('rules');
    const mapping = { condition: { type: 'verified' }, roleIds: [given] };
    expect((await guild.api.post(`${guild.path}/mappings`, mapping)).status).to.equal(201);
    expect(await present()).to.equal('compare');
    expect((await read()).comparison.state).to.equal('none');
    const part = (await guild.api.post(`${guild.path}/resync`, { memberIds: [person.chatUserId] })).body;
    const isOver = async () => (await guild.api.get(`${guild.path}/resync/${part.jobId}`)).body.state === 'completed';
    await eventually(isOver, 'the resync of one member');
    expect((await read()).comparison.state, 'of one member').to.equal('none');
    await guild.api.post(`${guild.path}/resync`, {});
    await eventually(async () => (await read()).comparison.state === 'done', 'the comparison');
    expect(await read()).to.deep.include({
      ...{ people: 1, mappings: 1, passed: [] },
      comparison: { state: 'done', matching: 1, differing: 1 },
    });
    expect(await present()).to.equal('compare');
    await guild.api.patch(`${guild.path}/move`, { passed: ['compare'] });
    expect(await present()).to.equal('live');
    expect(discord.member(guild.guildId, person.chatUserId)?.roleIds).to.deep.equal([]);
    await setMode('enforce');
    expect(await present()).to.equal('stop');
    discord.updateRole(guild.guildId, otherRole, { permissions: 0n });
    await eventually(async () => (await present()) === 'over', 'the end of the way');
  });

  const set = (_id = '', isOpen = false) =>
    Plans.acrossGuilds.updateOne(
      { _id },
      isOpen ? { open: true, state: 'running' } : { $unset: { open: 1 }, state: 'completed' },
    );

  it('A comparison made again takes nobody back to a former step', async () => {
    const { discord } = await world();
    const given = discord.addRole(guild.guildId, { name: 'Crew' }).id;
    const person = await buildMember(guild, { linked: false });
    await setMode('observe');
    await runImport(guild, { people: [pairOf(person)] });
    await guild.api.post(`${guild.path}/mappings`, { condition: { type: 'verified' }, roleIds: [given] });
    await guild.api.post(`${guild.path}/resync`, {});
    await eventually(async () => (await read()).comparison.state === 'done', 'the comparison');
    await guild.api.patch(`${guild.path}/move`, { passed: ['compare'] });
    const [first] = await latestWholeResyncs(guild.guildId);
    await set(first?._id, true);
    expect([await present(), (await read()).comparison.state]).to.deep.equal(['compare', 'running']);
    await set(first?._id, false);
    await guild.api.post(`${guild.path}/resync`, {});
    const [second] = await latestWholeResyncs(guild.guildId);
    expect(second?._id).not.to.equal(first?._id);
    await eventually(async () => (await read()).comparison.state === 'done', 'the second comparison');
    await set(second?._id, true);
    expect([await present(), (await read()).comparison.state]).to.deep.equal(['live', 'running']);
    await set(second?._id, false);
  });

  it('The undo of an earlier import leaves the people of a later one', async () => {
    await setMode('observe');
    const [first, second] = await Promise.all([
      buildMember(guild, { linked: false }),
      buildMember(guild, { linked: false }),
    ]);
    const { importId } = await runImport(guild, { people: [pairOf(first)] });
    await runImport(guild, { people: [pairOf(second)] });
    expect((await guild.api.post(`${guild.path}/people/import/${importId}/undo`, {})).status).to.equal(202);
    await eventually(
      async () => (await guild.api.get(`${guild.path}/people/import`)).body.import.importId === importId,
    );
    expect([await present(), (await read()).people]).to.deep.equal(['rules', 1]);
  });

  it('People are passed over by an admin alone, and taken back by naming none', async () => {
    await setMode('observe');
    const pass = (passed: string[]) => guild.api.patch(`${guild.path}/move`, { passed });
    expect((await pass(['people', 'people'])).body.passed).to.deep.equal(['people']);
    expect(await present()).to.equal('rules');
    expect((await pass([])).body.passed).to.deep.equal([]);
    expect(await present()).to.equal('people');
    expect((await pass(['live'])).status).to.equal(400);
  });
});
