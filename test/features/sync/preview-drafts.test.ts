import { setTimeout as delay } from 'node:timers/promises';
import { inspect } from 'node:util';
import { expect } from 'chai';
import mongoose, { type mongo } from 'mongoose';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { startJobs, stopJobs } from '../../../src/platforms/jobs/agenda.js';
import { jobsRunning } from '../../../src/platforms/jobs/runs.js';
import type { ApiAnswer } from '../../support/api.js';
import { eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { at, byMember, preview } from './preview-setup.js';
import { buildResyncGuild, type ResyncGuild, resync } from './resync-setup.js';

/** Collections that change without a change by anybody: token uses, leases, counters, wake-ups; and previews. */
const restless = new Set(['bot_tokens', 'sessions', 'rate_limits', 'leases', 'agendaJobs', 'plans', 'planned_changes']);

/** A guild's and its people's stored data, as text, without each mapping's matches. */
async function everythingStored({ guildId, people }: ResyncGuild): Promise<string[]> {
  const theirs = [guildId, ...people.map(({ chatUserId }) => chatUserId)] as unknown as mongo.ObjectId[];
  const collections = (await mongoose.connection.db?.collections()) ?? [];
  const texts = collections
    .filter(({ collectionName }) => !restless.has(collectionName))
    .map(async (collection) => {
      const of = { $or: [{ guildId }, { _id: { $in: theirs } }] };
      const documents = await collection.find(of).sort({ _id: 1 }).toArray();
      return documents.map(({ people: _, ...document }) => `${collection.collectionName}: ${JSON.stringify(document)}`);
    });
  return (await Promise.all(texts)).flat();
}

const writing = /^(insert|update|replace|delete|bulkWrite|findOneAnd|findAndModify|save|create|drop)/;

/**
 * A guild's writes to other collections while `work` runs, as Mongoose sends them. Earlier tests' work in other guilds
 * continues.
 */
async function writesDuring({ guildId }: ResyncGuild, work: () => Promise<unknown>): Promise<string[]> {
  const writes: string[] = [];
  mongoose.set('debug', (collection: string, method: string, ...sent: unknown[]) => {
    const isWrite = writing.test(method) && !restless.has(collection);
    if (isWrite && inspect(sent, { depth: 6 }).includes(guildId)) writes.push(`${collection}.${method}`);
  });
  try {
    await work();
  } finally {
    mongoose.set('debug', false);
  }
  return writes;
}

// RESYNC-25
describe('Previews by drafts', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: ResyncGuild;

  afterEach(async () => {
    if (!jobsRunning()) await startJobs();
  });
  beforeEach(async () => {
    ({ discord, roblox } = await world());
    guild = await buildResyncGuild({ count: 3 });
    roblox.setRank(guild.groupId, at(guild.people, 0).gameUserId, 100);
    await resync(guild);
  });

  const stored = () => [draft(1, guild.memberRole), draft(100, guild.officerRole)];
  const draft = (min: number, ...roleIds: string[]) => ({
    condition: { type: 'group_rank', groupId: guild.groupId, min, max: 255 },
    roleIds,
  });
  const ask = (body: object): Promise<ApiAnswer> => guild.api.post(`${guild.path}/sync/preview`, body);

  it('A preview by drafts shows the effect of one more mapping', async () => {
    const added = discord.addRole(guild.guildId, { name: 'Added' }).id;
    const { summary, ...body } = await preview(guild, { mappings: [...stored(), draft(100, added)] });
    expect(summary).to.include({ checked: 4, changed: 1, adding: 1 });
    expect(byMember(body)[at(guild.people, 0).chatUserId]).to.deep.include({ add: [added], remove: [] });
  });

  it('A preview by drafts shows the effect of a mapping with another rank and of one that is switched off', async () => {
    const mappings = [draft(100, guild.memberRole), { ...draft(255, guild.officerRole), enabled: false }];
    const { summary, ...body } = await preview(guild, { mappings });
    expect(summary).to.include({ changed: 2, removing: 2, adding: 0 });
    for (const { chatUserId } of guild.people.slice(1)) {
      expect(byMember(body)[chatUserId]).to.deep.include({ remove: [guild.memberRole] });
    }
  });

  it('A preview by drafts shows that members keep the roles of a mapping that is removed', async () => {
    expect((await preview(guild, { mappings: [] })).summary).to.include({ checked: 4, changed: 0 });
  });

  it('A preview by drafts shows the effect of another nickname template', async () => {
    const nickname = { enabled: true, template: '[{groupRank:ID}] {gameUsername}'.replace('ID', guild.groupId) };
    const { summary, ...body } = await preview(guild, { settings: { ...defaultSettings, nickname } });
    expect(summary).to.include({ changed: 3, renamed: 3, adding: 0 });
    const [officer] = guild.people;
    const shown = byMember(body)[officer?.chatUserId ?? ''];
    expect(shown).to.include({ nickname: `[100] ${officer?.gameUsername}` });
  });

  it('A preview by drafts shows roles out of the bot’s reach as blocked, and warns of dangerous ones', async () => {
    const above = discord.addRole(guild.guildId, { name: 'Boss', position: 90 }).id;
    const dangerous = discord.addRole(guild.guildId, { name: 'Mod', permissions: 1n << 1n }).id;
    const { summary, warnings, ...body } = await preview(guild, { mappings: [draft(100, above, dangerous)] });
    const blocked = [{ roleId: above, reason: 'role_above_bot' }];
    expect(byMember(body)[at(guild.people, 0).chatUserId]).to.deep.include({ add: [dangerous], blocked });
    expect(summary).to.include({ changed: 1, blocked: 1 });
    expect(warnings).to.have.length(1);
    const parts = { roleId: dangerous, roleName: 'Mod', permissions: ['KickMembers'] };
    expect(warnings[0])
      .to.deep.include({ code: 'dangerous_role', ...parts })
      .and.has.property('detail');
  });

  it('A preview by drafts warns of a group that is gone, and takes nothing away for it', async () => {
    roblox.removeGroup(guild.groupId);
    const { summary, warnings } = await preview(guild, { mappings: stored() });
    expect(summary).to.include({ changed: 0, removing: 0 });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({ code: 'group_missing', groupId: guild.groupId }).and.has.property('groupName');
  });

  it('A preview by drafts warns when more people would lose roles than the removal limit allows', async () => {
    const massRemoval = { people: 2, sharePercent: 30 };
    const settings = { ...defaultSettings, massRemoval };
    const { summary, warnings } = await preview(guild, { mappings: [draft(100, guild.memberRole)], settings });
    expect(summary).to.include({ checked: 4, removing: 2, wouldStopAtBrake: true });
    expect(warnings).to.have.length(1);
    expect(warnings[0]).to.include({ code: 'mass_removal', removing: 2, checked: 4, sharePercent: 30 });
    const { summary: bolder } = await preview(guild, { mappings: [draft(100, guild.memberRole)] });
    expect(bolder).to.include({ removing: 2, wouldStopAtBrake: false });
  });

  it('A preview by drafts cannot be applied', async () => {
    for (const body of [{ mappings: stored() }, { settings: defaultSettings }]) {
      const { previewId } = await preview(guild, body);
      const { status, body: problem } = await guild.api.post(`${guild.path}/resync`, { previewId });
      expect({ status, code: problem.code }).to.deep.equal({ status: 409, code: 'preview_of_drafts' });
    }
  });

  // SET-8
  it('A preview checks drafted settings only for their shape', async () => {
    const nickname = { enabled: true, template: '{gameUsername} {unknown}' };
    expect(
      (await ask({ settings: { ...defaultSettings, nickname, logChannelId: '100000000000000009' } })).status,
    ).to.equal(200);
    const { status, body } = await ask({
      settings: { ...defaultSettings, nickname: { enabled: 'yes', template: '' } },
    });
    expect(status).to.equal(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).to.include('settings.nickname.enabled');
  });

  it('A preview holds drafts to the rules of stored mappings', async () => {
    const { id: foreign } = roblox.addGroup({ name: 'Not attached' });
    const inGroup = { type: 'group_member', groupId: foreign };
    const unknownRole = { type: 'group_role', groupId: guild.groupId, gameRoleId: '77' };
    const mappings = [
      { ...draft(1, guild.memberRole), condition: { type: 'all', of: [{ type: 'verified' }, inGroup] } },
      { ...draft(1, guild.memberRole), condition: unknownRole },
    ];
    const { status, body } = await ask({ mappings });
    expect(status).to.equal(400);
    expect(body.errors.map(({ path }: { path: string }) => path)).to.deep.equal([
      'mappings.0.condition.of.1.groupId',
      'mappings.1.condition.gameRoleId',
    ]);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { plan: 'free' } });
    const tooMany = await ask({ mappings: Array.from({ length: 11 }, () => draft(1, guild.memberRole)) });
    expect({ status: tooMany.status, code: tooMany.body.code }).to.deep.equal({
      status: 402,
      code: 'plan_limit_reached',
    });
  });

  it('A preview writes nothing to Discord, and to the database only itself and the people of each mapping', async () => {
    const { id: gameRoleId } = roblox.addGroupRole(guild.groupId, { name: 'Young', rank: 50 });
    roblox.setRank(guild.groupId, at(guild.people, 1).gameUserId, 50);
    roblox.leaveGroup(guild.groupId, at(guild.people, 2).gameUserId);
    const young = { type: 'group_role', groupId: guild.groupId, gameRoleId };
    const mappings = [...stored(), { condition: young, roleIds: [guild.officerRole] }];
    const nickname = { enabled: true, template: 'New {gameUsername}' };
    await stopJobs();
    // Work started by earlier tests' joins is over then.
    await eventually(async () => (await writesDuring(guild, () => delay(1_000))).length === 0, 'a quiet database');
    const before = await everythingStored(guild);
    discord.forgetRequests();
    const writes = await writesDuring(guild, async () => {
      expect((await preview(guild)).summary).to.include({ removing: 1, adding: 0 });
      const whatIf = await preview(guild, { mappings, settings: { ...defaultSettings, nickname } });
      expect(whatIf.summary).to.include({ changed: 3, renamed: 3, adding: 1, removing: 1 });
    });
    expect(writes, 'of the first one, which is not by drafts').to.deep.equal(['mappings.bulkWrite']);
    expect(discord.requests.length).to.be.above(0);
    expect(discord.requests.filter(({ method }) => method !== 'GET')).to.deep.equal([]);
    expect(await everythingStored(guild)).to.deep.equal(before);
    await startJobs();
    expect(await writesDuring(guild, () => resync(guild)), 'a resync is seen to write').to.include(
      'members.findOneAndUpdate',
    );
  });
});
