import { expect } from 'chai';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { newId } from '../../../src/lib/ids.js';
import { world } from '../../support/world.js';
import { buildResyncGuild, resyncIn } from './resync-setup.js';

// RESYNC-3
describe('The list of resyncs', () => {
  afterEach(async () => (await world()).discord.clearFaults());

  it('The list of resyncs has the starter, the outcome and the state of each', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 2, inStep: 1 });
    const list = async () => (await guild.api.get(`${guild.path}/resyncs`)).body;
    const match = new RegExp(`^(PUT|DELETE|PATCH) .*/guilds/${guild.guildId}/members/`);
    const letGo = discord.inject({ match, held: true });
    const { jobId } = (await guild.api.post(`${guild.path}/resync`)).body;
    const [running] = (await list()).data;
    expect(running).to.deep.include({ jobId, scope: 'whole', finishedAt: null });
    expect(running.startedBy).to.include({ kind: 'bot_token' });
    expect((await guild.api.get(`${guild.path}/overview`)).body.sync).to.include({ running: true, jobId });
    letGo();
    await resyncIn(guild, jobId, 'completed');
    expect((await list()).data[0]).to.deep.include({ jobId, state: 'completed', changed: 1, failed: 0 });
    expect((await guild.api.get(`${guild.path}/overview`)).body.sync).to.include({ running: false, jobId: null });
  });

  it('The list of resyncs is newest first and continues page by page', async () => {
    const guild = await buildResyncGuild({ count: 1 });
    const { jobId } = (await guild.api.post(`${guild.path}/resync`)).body;
    await resyncIn(guild, jobId, 'completed');
    const done = await Plans.findOne({ _id: jobId, guildId: guild.guildId });
    if (done === null) throw new Error('the resync is gone');
    const before = [1, 2, 3].map((days) => new Date(done.createdAt.getTime() - days * 86_400_000));
    const older = before.map((at) => ({ ...done, _id: newId('job', at), createdAt: at, outbox: [] }));
    await Plans.insertAll([...older].reverse());
    const found: string[] = [];
    for (let cursor = ''; ; ) {
      const { status, body } = await guild.api.get(`${guild.path}/resyncs?limit=2${cursor}`);
      expect(status).to.equal(200);
      found.push(...body.data.map((job: { jobId: string }) => job.jobId));
      if (body.nextCursor === null) break;
      cursor = `&cursor=${body.nextCursor}`;
    }
    // The bot's coming has begun a resync too, which may be in the same second.
    const ours = new Set([jobId, ...older.map(({ _id }) => _id)]);
    expect(found.filter((id) => ours.has(id))).to.deep.equal([...ours]);
  });
});
