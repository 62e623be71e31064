import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import type { GuildSettings } from '../../src/core/settings/guild-settings.js';
import type { StoredPlan } from '../../src/features/sync/plan/plan-model.js';
import type { PlannedChange } from '../../src/features/sync/plan/planned-change-model.js';
import { eventually } from '../support/build.js';
import { KillableService } from './killable-service.js';
import { type Crowd, mapCrowd, postFrom, writesByMember } from './resync-crowd.js';

const [people, kills] = [150, 5];

// OBS-12, OBS-13, OBS-15, OBS-16, OBS-17, OBS-20
describe('A killed switch', () => {
  const house = new KillableService('switch_kill');
  let crowd: Crowd;
  let former: Map<string, string[]>;

  const changes = () => house.collection<PlannedChange>('planned_changes');
  const switched = (filter: object) => changes().countDocuments({ guildId: crowd.guildId, ...filter });
  const rolesNow = () =>
    new Map(
      crowd.members.map(({ chatUserId }) => [
        chatUserId,
        [...(house.discord.member(crowd.guildId, chatUserId)?.roleIds ?? [])].sort(),
      ]),
    );
  const post = async (path: string, body: object = {}) => {
    const headers = await house.signIn(crowd.ownerId);
    const url = `${house.running.url}/api/guilds/${crowd.guildId}/${path}`;
    const answer = await fetch(url, { method: 'POST', headers, body: JSON.stringify(body) });
    return { status: answer.status, body: JSON.parse(await answer.text()) as Record<string, string> };
  };

  /** Kills the process again and again until `isOver`. Gives how often something was under way. */
  async function killUntil(isOver: () => Promise<boolean>): Promise<number> {
    let interrupted = 0;
    for (let times = 0; times < kills; times += 1) {
      await delay(150 + Math.random() * 600);
      await house.kill();
      if (!(await isOver())) interrupted += 1;
      await house.start();
    }
    return interrupted;
  }

  /** Everybody who does not hold the former roles, with what was noted about them. */
  async function leftOver() {
    const noted = await changes().find({}).toArray();
    return [...rolesNow()].flatMap(([id, roles]) => {
      const { state, expected, made } = noted.findLast(({ chatUserId }) => chatUserId === id) ?? {};
      return roles.join() === former.get(id)?.join() ? [] : [{ id, roles, state, expected, made }];
    });
  }

  before(async () => {
    crowd = await house.buildCrowd(people);
    await house.start();
    await house.knowsGuild();
    const headers = await house.signIn(crowd.ownerId);
    const url = `${house.running.url}/api/guilds/${crowd.guildId}/settings`;
    const settings = JSON.parse(await (await fetch(url, { headers })).text()) as GuildSettings;
    settings.mode = 'observe';
    settings.massRemoval = { sharePercent: 100, people: 1_000 };
    const written = await fetch(url, { method: 'PUT', headers, body: JSON.stringify(settings) });
    expect(written.status).to.equal(200);
    await mapCrowd(postFrom(house.running.url, crowd, headers), crowd);
    former = rolesNow();
  });

  it('Go live applies exactly the plan that was shown, and keeps each change for the undo', async () => {
    const { discord } = house;
    const { previewId } = (await post('sync/preview')).body;
    discord.forgetRequests();
    discord.inject({ match: /^(PUT|DELETE|PATCH) .*\/members\//, delayMs: 40 });
    const { status, body } = await post('differences/go-live', { previewId });
    expect(status, JSON.stringify(body)).to.equal(202);
    const job = { _id: body.jobId ?? '' };
    const jobs = house.collection<StoredPlan>('plans');
    const interrupted = await killUntil(async () => (await jobs.findOne(job))?.open !== true);
    expect(interrupted).to.be.greaterThan(1);
    await eventually(() => jobs.findOne({ ...job, state: 'completed' }), 'the end', 240_000);

    const expected = new Map(crowd.members.map(({ chatUserId, expected: roles }) => [chatUserId, roles]));
    expect(Object.fromEntries(rolesNow())).to.deep.equal(Object.fromEntries(expected));
    const differing = crowd.members.flatMap(({ chatUserId, differs }) => (differs ? [chatUserId] : []));
    expect([...writesByMember(discord).keys()].sort()).to.deep.equal(differing.sort());
    expect(await switched({ made: { $exists: true } })).to.equal(differing.length);
  });

  it('Undo restores everyone without later changes', async () => {
    const { status } = await post('differences/undo');
    expect(status).to.equal(200);
    const plans = house.collection<StoredPlan>('plans');
    const isOver = async () => (await plans.findOne({ guildId: crowd.guildId, kind: 'undo' }))?.state === 'completed';
    const interrupted = await killUntil(isOver);
    expect(interrupted).to.be.greaterThan(1);
    await eventually(isOver, 'the end of the undo', 240_000);
    expect(await leftOver()).to.deep.equal([]);
    const planId = (await plans.findOne({ guildId: crowd.guildId, kind: 'undo' }))?._id;
    expect(await switched({ planId, state: { $ne: 'done' } })).to.equal(0);
    house.discord.forgetRequests();
    await delay(3_000);
    expect([...writesByMember(house.discord).keys()]).to.deep.equal([]);
    await house.kill();
  });
});
