import { expect } from 'chai';
import { startDiscordSandbox } from '../sandbox/discord/discord-sandbox.js';
import { startRobloxSandbox } from '../sandbox/roblox/roblox-sandbox.js';
import { eventually } from '../support/build.js';
import { connectTestDatabase } from '../support/test-database.js';
import { ModelService } from './model-service.js';
import type { Platforms } from './oracle.js';
import { settle } from './play.js';
import { kindOf } from './script.js';
import { addMapping, askOwner, buildStage, type Stage } from './stage.js';
import { chosen } from './step.js';
import { differences } from './watch.js';

/** Each person is read in full once in this many rounds within a target; no reconciliation is due in between. */
const [rounds, goalSeconds] = [5, 125];

describe('Histories checked by the oracle without a reconciliation', () => {
  let database: Awaited<ReturnType<typeof connectTestDatabase>>;
  let platforms: Platforms;
  let service: ModelService;
  let stage: Stage;

  before(async () => {
    database = await connectTestDatabase();
    const [discord, roblox] = await Promise.all([
      startDiscordSandbox({ rateLimits: false }),
      startRobloxSandbox({ rateLimits: false }),
    ]);
    platforms = { discord, roblox };
    service = await ModelService.prepare(platforms, database.uri, `histories_${process.pid}`);
    await service.start();
    stage = await buildStage(platforms, service);
    // Everybody proves their account in Red; Cleo, a member in both servers, in Blue too.
    for (const person of [0, 1, 2]) await act('link', { person });
    await act('link', { person: 2, guild: 1 });
    expect(await settle([stage])).to.deep.equal([[]]);
    await service.watchRanks();
  });
  after(async () => {
    await service.close();
    await Promise.all([platforms.discord.stop(), platforms.roblox.stop()]);
    await database.close();
  });

  async function act(kind: string, choice: { person: number; guild?: number; value?: number }): Promise<void> {
    const step = { kind, guild: 0, role: 0, group: 0, value: 0, pauseMs: 0, ...choice };
    await kindOf(step).act(stage, chosen(stage, step));
  }

  /** As /update does. */
  async function update(person: number): Promise<void> {
    const { guild, person: whom } = chosen(stage, {
      ...{ kind: '', guild: 0, role: 0, group: 0, value: 0, pauseMs: 0 },
      person,
    });
    const { status } = await askOwner(stage, guild, 'POST', `/members/${whom.id}/resync`);
    expect(status).to.equal(200);
  }

  async function polls(): Promise<void> {
    const jobs = () => service.db.collection('plans').countDocuments({});
    const before = await jobs();
    const isPaid = async () =>
      (await service.db.collection('members').countDocuments({ owedSync: { $exists: true } })) === 0 &&
      (await service.isIdle());
    for (let round = 0; round < rounds; round += 1) {
      await service.pass(goalSeconds);
      await service.watchRanks();
      await service.runJobs(['retry-syncs']);
    }
    await eventually(isPaid, 'all syncs');
    expect(await jobs()).to.equal(before);
  }

  it('A member loses the role after a promotion, a sync by /update and a demotion before the next poll', async () => {
    await act('demote', { person: 1 });
    await polls();
    await act('promote', { person: 1 });
    await update(1);
    await act('demote', { person: 1 });
    await polls();
    expect(differences(stage)).to.deep.equal([]);
  });

  it('A member has the due role when Roblox answered the sync one step late', async () => {
    await act('promote', { person: 1 });
    await service.watchRanks();
    await polls();
    await act('demote', { person: 1 });
    await update(1);
    await act('promote', { person: 1 });
    await polls();
    expect(differences(stage)).to.deep.equal([]);
  });

  it('A member promoted a moment after a second server began to use the group has the role there too', async () => {
    const [, blue = expect.fail()] = stage.confirmed.guilds;
    const [army = ''] = stage.groupIds;
    const condition = { type: 'group_rank', groupId: army, min: 100, max: 255 } as const;
    const { status } = await addMapping(stage, blue, { condition, roleIds: [blue.roleIds[3] ?? ''] });
    expect(status).to.equal(201);
    await act('promote', { person: 2 });
    await polls();
    expect(differences(stage)).to.deep.equal([]);
  });

  it('A member has the role after a ban, a promotion, and an unban ten seconds later', async () => {
    await act('demote', { person: 0 });
    await polls();
    await act('ban', { person: 0, value: 1 });
    await act('promote', { person: 0 });
    await update(0);
    await service.pass(10);
    await act('ban', { person: 0, value: 0 });
    await polls();
    expect(differences(stage)).to.deep.equal([]);
  });

  it('A member with role and nickname changed by hand has both back', async () => {
    const [red = expect.fail()] = stage.confirmed.guilds;
    const { id } = stage.people[1] ?? expect.fail();
    stage.discord.setMember(red.guildId, id, { roleIds: [], nickname: 'Other' });
    const isPending = () => service.db.collection('members').findOne({ chatUserId: id, owedSync: { $exists: true } });
    await eventually(isPending, 'the pending sync');
    await polls();
    expect(differences(stage)).to.deep.equal([]);
  });
});
