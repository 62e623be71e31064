import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { StoredPlan } from '../../src/features/sync/plan/plan-model.js';
import { eventually } from '../support/build.js';
import { KillableService } from './killable-service.js';
import { type Crowd, mapCrowd, postFrom, resyncCrowd, writesByMember } from './resync-crowd.js';

const kills = 6;

// RESYNC-17
describe('A guild resync with a killed process', () => {
  const house = new KillableService('resync_kill');
  const jobs = () => house.collection<StoredPlan>('plans');

  const startResync = async (crowd: Crowd): Promise<string> => {
    const post = postFrom(house.running.url, crowd, await house.signIn(crowd.ownerId));
    await mapCrowd(post, crowd);
    return resyncCrowd(post);
  };

  it('A resync with a killed process ends with everyone’s exact roles, and sends no message twice', async () => {
    const { discord, roblox } = house;
    const crowd = await house.buildCrowd(200);
    discord.inject({ match: /^(PUT|DELETE|PATCH) .*\/members\//, delayMs: 20 });
    roblox.inject({ match: /memberships/, delayMs: 150 });
    await house.start();
    await house.knowsGuild();
    const jobId = await startResync(crowd);
    let interrupted = 0;
    for (let times = 0; times < kills; times += 1) {
      await delay(50 + Math.random() * 600);
      await house.kill();
      if ((await jobs().findOne({ _id: jobId }))?.open) interrupted += 1;
      await house.start();
    }
    const job = await eventually(() => jobs().findOne({ _id: jobId, state: 'completed' }), 'the end', 240_000);

    for (const { chatUserId, expected } of crowd.members) {
      expect(discord.member(crowd.guildId, chatUserId)?.roleIds.sort(), chatUserId).to.deep.equal(expected);
    }
    const writes = writesByMember(discord);
    const differing = crowd.members.filter(({ differs }) => differs);
    expect(new Set(writes.keys())).to.deep.equal(new Set(differing.map(({ chatUserId }) => chatUserId)));
    expect(Math.max(...writes.values())).to.be.at.most(2);
    expect([...writes.values()].filter((times) => times > 1).length).to.be.at.most(interrupted);
    expect(interrupted).to.be.greaterThan(1);
    expect(job.planned).to.include({ members: 201 });
    // Changes before a new plan are counted apart.
    const { planned, applied, changedBefore } = job;
    const told = JSON.stringify({ planned, applied, changedBefore });
    expect(changedBefore + applied.changed + applied.skipped, told).to.equal(differing.length);
    // They are removed after the job has ended.
    const noChangesLeft = async () => (await house.collection('planned_changes').countDocuments()) === 0;
    await eventually(noChangesLeft, 'the end of the changes');
    await house.kill();
  });
});
