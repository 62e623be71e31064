import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { openResync, readResync, startResync } from '../../../src/features/sync/resync/resync-service.js';
import type { Hold } from '../../sandbox/kit/fault-list.js';
import { api } from '../../support/api.js';
import { buildGuild, eventually, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import {
  buildResyncGuild,
  memberWrites,
  type ResyncGuild,
  resync,
  resyncEntries,
  resyncIn,
  rolesOf,
  storedChanges,
} from './resync-setup.js';

const start = async ({ api: client, path }: ResyncGuild, body: object = {}) =>
  (await client.post(`${path}/resync`, body)).body.jobId as string;

/** Holds a role change in the guild, after letting `behind` changes through. */
async function holdWrite({ guildId }: ResyncGuild, { behind = 0 } = {}): Promise<Hold> {
  const { discord } = await world();
  const match = new RegExp(`^(PUT|DELETE|PATCH) .*/guilds/${guildId}/members/`);
  if (behind > 0) discord.inject({ match, times: behind });
  return discord.hold({ match });
}

const held = async (guild: ResyncGuild): Promise<number> => {
  const roles = await Promise.all(guild.people.map((person) => rolesOf(guild, person)));
  return roles.filter((ids) => ids?.includes(guild.memberRole)).length;
};

describe('Control of a guild resync', () => {
  afterEach(async () => {
    const { discord, roblox } = await world();
    discord.clearFaults();
    roblox.clearFaults();
  });

  // RESYNC-2
  it('Each request for a resync is answered with the running job, for every caller and every scope', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 0 });
    const write = await holdWrite(guild);
    const first = await guild.api.post(`${guild.path}/resync`);
    expect(first.status).to.equal(202);
    expect(first.body).to.include({ state: 'queued', phase: 'planning', processed: 0, startedAt: null });
    const [again, other] = await Promise.all([
      guild.api.post(`${guild.path}/resync`, { memberIds: [guild.people[0]?.chatUserId] }),
      startResync(guild.guild, systemActor('test')),
    ]);
    expect([again.status, again.body.jobId]).to.deep.equal([202, first.body.jobId]);
    expect(other).to.deep.include({ isNew: false }).and.to.have.nested.property('job._id', first.body.jobId);
    const running = async () => (await guild.api.get(`${guild.path}/overview`)).body.sync.running;
    expect(await running()).to.equal(true);
    write.letGo();
    await resyncIn(guild, first.body.jobId, 'completed');
    expect(await openResync(guild.guildId)).to.equal(null);
    expect(await running()).to.equal(false);
    const next = await start(guild);
    expect(next).not.to.equal(first.body.jobId);
    // The calls to Roblox are counted below.
    await resyncIn(guild, next, 'completed');
  });

  // RESYNC-1
  it('Many simultaneous requests for a resync become one job', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const starts = Array.from({ length: 8 }, () => startResync(guild.guild, systemActor('test')));
    const jobs = await Promise.all(starts);
    expect(new Set(jobs.map(({ job }) => job._id)).size).to.equal(1);
    expect(jobs.filter(({ isNew }) => isNew)).to.have.lengthOf(1);
    await resyncIn(guild, jobs[0]?.job._id ?? '', 'completed');
  });

  it('A resync of named members changes only those', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 5, inStep: 0 });
    const memberIds = [guild.people[3], guild.people[1]].map((person) => person?.chatUserId);
    const job = await resync(guild, { memberIds: [...memberIds, guild.ownerId, '123456789012345678'] });
    expect(job).to.include({ total: 3, processed: 3, changed: 2 });
    expect(await held(guild)).to.equal(2);
    expect(await rolesOf(guild, guild.people[1])).to.deep.equal([guild.memberRole]);
    expect(roblox.requests.filter(({ path }) => path.endsWith('/memberships'))).to.have.lengthOf(1);
  });

  // RESYNC-4
  it('A resync takes at most 1,000 named members, and only one kind of request', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const memberIds = Array.from({ length: 1_001 }, (_, n) => String(100_000_000_000_000_000n + BigInt(n)));
    const pathsOf = async (body: object) => {
      const answer = await guild.api.post(`${guild.path}/resync`, body);
      return [answer.status, answer.body.errors?.map(({ path }: { path: string }) => path)];
    };
    expect(await pathsOf({ memberIds })).to.deep.equal([400, ['memberIds']]);
    expect(await pathsOf({ previewId: 'p', memberIds: memberIds.slice(1) })).to.deep.equal([400, ['previewId']]);
    expect((await pathsOf({ losing: 3 }))[0]).to.equal(400);
    expect((await pathsOf({ memberIds: memberIds.slice(1) }))[0]).to.equal(202);
  });

  it('A guild can’t find another guild’s resync', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const other = await buildGuild();
    const { jobId } = await resync(guild);
    for (const id of [jobId, 'job_000000000000000000000000', 'map_000000000000000000000000']) {
      expect((await other.api.get(`${other.path}/resync/${id}`)).body.code).to.equal('resync_not_found');
      expect((await other.api.delete(`${other.path}/resync/${id}`)).status).to.equal(404);
      expect((await other.api.post(`${other.path}/resync`, { confirm: id })).status).to.equal(404);
    }
    const both = await guild.api.post(`${guild.path}/resync`, { confirm: jobId, memberIds: [guild.ownerId] });
    expect([both.status, both.body.errors[0].path]).to.deep.equal([400, 'confirm']);
  });

  it('A cancelled resync stops at the current member, and finished changes stay', async () => {
    const guild = await buildResyncGuild({ count: 9, inStep: 0 });
    const third = await holdWrite(guild, { behind: 2 });
    const jobId = await start(guild);
    await third.reached;
    const cancelled = await guild.api.delete(`${guild.path}/resync/${jobId}`);
    expect(cancelled.body).to.include({ jobId, state: 'cancelled', error: null });
    expect(cancelled.body.finishedAt).to.be.a('string');
    expect(await held(guild)).to.equal(2);
    third.letGo();
    await eventually(async () => (await held(guild)) === 3, 'the change that was under way');
    await delay(700);
    expect((await memberWrites(guild.guildId)).length).to.equal(3);
    expect(await storedChanges(jobId)).to.equal(0);
    expect((await guild.api.delete(`${guild.path}/resync/${jobId}`)).body.state).to.equal('cancelled');
    expect((await resyncEntries(guild.guildId)).map(({ action }) => action)).to.deep.equal([
      'resync.started',
      'resync.cancelled',
    ]);
  });

  it('A resync stops while it still plans, and cannot be cancelled when it is completed', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 3, inStep: 0 });
    const question = roblox.hold({ match: /apis.*memberships/ });
    const jobId = await start(guild);
    await question.reached;
    await guild.api.delete(`${guild.path}/resync/${jobId}`);
    question.letGo();
    await delay(500);
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    expect(await storedChanges(jobId)).to.equal(0);
    const completed = await resync(guild);
    expect(await held(guild)).to.equal(3);
    expect((await guild.api.delete(`${guild.path}/resync/${completed.jobId}`)).body.code).to.equal('resync_finished');
  });

  for (const [event, change, code] of [
    [
      'is suspended',
      { state: 'suspended', suspension: { reason: 'test', at: new Date(), by: 'test' } },
      'guild_suspended',
    ],
    ['loses the bot', { present: false }, 'bot_removed'],
  ] as const) {
    it(`A resync stops when the guild ${event}`, async () => {
      const guild = await buildResyncGuild({ count: 9, inStep: 0 });
      const second = await holdWrite(guild, { behind: 1 });
      const jobId = await start(guild);
      await second.reached;
      await GuildRecord.updateOne({ _id: guild.guildId }, { $set: change });
      second.letGo();
      const job = await eventually(async () => {
        const { _id, state, error } = await readResync(guild.guild, jobId);
        return state === 'cancelled' ? { _id, error } : undefined;
      });
      expect(job.error).to.include({ code });
      expect((await memberWrites(guild.guildId)).length).to.equal(2);
      expect(await held(guild)).to.equal(2);
      const entry = await eventually(async () => (await resyncEntries(guild.guildId))[1]);
      expect(entry.action).to.equal('resync.cancelled');
      expect(entry.changes).to.deep.include({ error: { from: null, to: code } });
    });
  }

  it('A viewer starts and cancels no resync, and managers and up ask for the running one as often as they like', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const viewer = api(await tokenFor(guild.guildId, 'viewer'));
    expect((await viewer.post(`${guild.path}/resync`)).status).to.equal(403);
    const jobId = await start(guild);
    expect((await viewer.get(`${guild.path}/resync/${jobId}`)).status).to.equal(200);
    expect((await viewer.delete(`${guild.path}/resync/${jobId}`)).status).to.equal(403);
    for (let times = 2; times <= 8; times += 1) {
      expect((await guild.api.post(`${guild.path}/resync`)).status).to.equal(202);
    }
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    expect((await manager.post(`${guild.path}/resync`)).status).to.equal(202);
  });
});
