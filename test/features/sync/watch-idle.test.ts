import { expect } from 'chai';
import { z } from 'zod';
import { rankIssue, readRankAge } from '../../../src/features/rank-watch/rank-age.js';
import { clock } from '../../../src/lib/clock.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, rolesOf } from './resync-setup.js';
import { beginAlone, beginWatch, newWatch, watchAfter, watchAll, watchedOf } from './watch-setup.js';

const listed = z.object({ data: z.array(z.object({ mappingId: z.string() })) });

// RANK-2, RANK-40
describe('People in servers without a rule that names a group', () => {
  withPromptSyncs();
  let roblox: World['roblox'];
  let guild: ResyncGuild;

  before(async () => {
    ({ roblox } = await world());
    await beginAlone();
  });
  beforeEach(async () => {
    guild = await buildResyncGuild({ count: 2 });
    await beginWatch(guild);
  });

  const person = () => guild.people[0] ?? expect.fail('nobody there');

  async function dropRules(): Promise<void> {
    const { body } = await guild.api.get(`${guild.path}/mappings`);
    for (const { mappingId } of listed.parse(body).data) {
      const { status } = await guild.api.delete(`${guild.path}/mappings/${mappingId}`);
      expect(status).to.equal(204);
    }
  }

  /** Two looks after the last rule, nobody is looked at for a day. */
  async function becomeIdle(watch = newWatch()): Promise<void> {
    await dropRules();
    await watchAfter(61);
    await watchAfter(601, watch);
  }

  const addRule = async () => {
    const condition = { type: 'group_rank', groupId: guild.groupId, min: 100, max: 255 };
    const { status } = await guild.api.post(`${guild.path}/mappings`, { condition, roleIds: [guild.officerRole] });
    expect(status).to.equal(201);
  };

  it('No ranks are kept of people after the last rule that names a group, and their age is no fault', async () => {
    expect((await watchedOf(person())).held).not.to.deep.equal([]);
    await dropRules();
    await watchAfter(61);
    const watched = await watchedOf(person());
    expect(watched.held).to.deep.equal([]);
    expect(watched).not.to.have.property('seenAt');
    await watchAfter(3_600);
    const age = await readRankAge({ _id: guild.guildId, plan: 'enterprise' });
    expect(age.ageSeconds).to.equal(null);
    expect(rankIssue(age)).to.deep.equal([]);
  });

  it('An hour without a rule that names a group writes nothing about people, and asks Roblox nothing', async () => {
    await becomeIdle();
    const before = await watchedOf(person());
    roblox.forgetRequests();
    await watchAfter(3_600);
    expect(await watchedOf(person())).to.deep.equal(before);
    expect(roblox.requests).to.deep.equal([]);
  });

  it('A promotion is seen soon after the first rule that names a group', async () => {
    await becomeIdle();
    await addRule();
    await watchAfter(61);
    await watchAfter(121);
    roblox.setRank(guild.groupId, person().gameUserId, 100);
    await watchAfter(121);
    await eventually(async () => (await rolesOf(guild, person()))?.includes(guild.officerRole), 'the role');
  });

  it('A group that another server names already is watched for a server that begins to name it', async () => {
    const other = await buildResyncGuild({ count: 1 });
    const condition = { type: 'group_rank', groupId: guild.groupId, min: 100, max: 255 };
    await other.api.post(`${other.path}/mappings`, { condition, roleIds: [other.officerRole] });
    await beginWatch(other);
    await becomeIdle();
    expect((await watchedOf(person())).held).to.deep.equal([]);
    await addRule();
    await watchAfter(61);
    await watchAfter(121);
    expect((await watchedOf(person())).held).not.to.deep.equal([]);
  });

  it('A process that does not know the new rule yet leaves the people to one that does', async () => {
    const stale = newWatch();
    await becomeIdle(stale);
    await addRule();
    await watchAll();
    await watchAfter(59, stale);
    await watchAfter(121);
    expect((await watchedOf(person())).held).not.to.deep.equal([]);
  });

  it('People due just then wait for the processes that do not know the new rule yet, too', async () => {
    const stale = newWatch();
    await becomeIdle(stale);
    const { dueAt } = await watchedOf(person());
    await watchAfter((dueAt.getTime() - clock.epochMs()) / 1_000 - 30, newWatch());
    await watchAll(stale);
    await addRule();
    await watchAll();
    await watchAfter(31, stale);
    expect((await watchedOf(person())).dueAt.getTime() - clock.epochMs()).to.be.within(0, 120_000);
    await watchAfter(121);
    expect((await watchedOf(person())).held).not.to.deep.equal([]);
  });
});
