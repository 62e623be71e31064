import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { readRulesKey } from '../../../src/features/sync/plan/guild-rules.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { type PlannedChange, PlannedChanges } from '../../../src/features/sync/plan/planned-change-model.js';
import { applyChange } from '../../../src/features/sync/resync/resync-change.js';
import { wakeResync } from '../../../src/features/sync/resync/resync-job.js';
import { ReadingsNow } from '../../../src/features/sync/resync/resync-ranks.js';
import { newId } from '../../../src/lib/ids.js';
import { world } from '../../support/world.js';
import { heard, listen } from '../events/listening.js';
import { at } from './preview-setup.js';
import { buildResyncGuild, memberWrites, plannedChange, type ResyncGuild, resyncIn, rolesOf } from './resync-setup.js';
import { refusal } from './sync-setup.js';

const jobId = 'job_000000000000000000000001';
const cause = { trigger: 'resync', actor: systemActor('test'), jobId } as const;

describe('Interrupted changes of a resync', () => {
  let guild: ResyncGuild;
  let change: PlannedChange;

  afterEach(async () => (await world()).discord.clearFaults());

  /** One linked member that is due these roles and lacks them. */
  async function planned(roles: (guild: ResyncGuild) => string[]): Promise<void> {
    guild = await buildResyncGuild({ count: 1, inStep: 0 });
    await listen(guild);
    const add = roles(guild);
    const { gameUserId } = at(guild.people, 0);
    if (add.includes(guild.officerRole)) (await world()).roblox.setRank(guild.groupId, gameUserId, 100);
    change = plannedChange(guild, at(guild.people, 0), {
      planId: jobId,
      expected: { add },
      kind: add.length > 1 ? 'edit' : 'give',
    });
  }

  const apply = async (which = change) =>
    (
      await applyChange(which, {
        guild: guild.guild,
        cause: { ...cause, jobId: which.planId },
        onlyAsSeen: false,
        reading: await new ReadingsNow(new AbortController().signal).of(guild.guild, which, []),
      })
    ).state;
  const stored = () => getMember(guild.guildId, change.chatUserId);

  /** The stored and reported state once it is done. */
  async function isToldOnce(): Promise<void> {
    const member = await stored();
    expect(member).not.to.have.any.keys('applying', 'owedSync');
    expect(member.syncs).to.have.length(1);
    expect(member.syncs[0]).to.deep.include({ trigger: 'resync', added: change.expected.add, removed: [], jobId });
    expect(await heard(guild, 'role.synced')).to.have.length(1);
    const entries = await latestEntries(guild.guildId, 50);
    expect(entries.filter(({ action }) => action === 'member.synced')).to.have.length(1);
    expect(await rolesOf(guild, guild.people[0])).to.deep.equal([...change.expected.add].sort());
  }

  for (const [name, roles] of [
    ['one role', (of: ResyncGuild) => [of.memberRole]],
    ['two roles', (of: ResyncGuild) => [of.memberRole, of.officerRole].sort()],
  ] as const) {
    it(`A change of a resync is stored with the member before Discord’s call, and reported once (${name})`, async () => {
      await planned(roles);
      const { discord } = await world();
      discord.inject({ match: /^(PUT|PATCH) .*\/members\//, dropSocket: true, when: 'after' });
      expect(await refusal(apply())).to.include({ code: 'chat_platform_unavailable' });
      const begun = await stored();
      expect(begun.applying).to.deep.include({ added: change.expected.add, removed: [] });
      expect(begun).not.to.have.property('owedSync');
      expect(begun.syncs).to.deep.equal([]);
      discord.clearFaults();
      discord.forgetRequests();
      expect(await apply()).to.equal('done');
      expect(await memberWrites(guild.guildId)).to.deep.equal([]);
      await isToldOnce();
    });
  }

  it('A change that was noted with the member is done without another request to Discord', async () => {
    await planned(({ memberRole }) => [memberRole]);
    expect(await apply()).to.equal('done');
    const { discord } = await world();
    discord.forgetRequests();
    expect(await apply()).to.equal('done');
    expect(discord.requests.filter(({ path }) => path.includes('/members/'))).to.deep.equal([]);
    await isToldOnce();
    expect(await apply({ ...change, planId: 'job_000000000000000000000002' })).to.equal('skipped');
  });
});

describe('Resyncs that an older version has begun', () => {
  const zero = { changed: 0, skipped: 0, failed: 0, blocked: 0, lost: 0 };

  /** A resync that is being applied, with these changes left. */
  async function begun(guild: ResyncGuild, fixedPlan: boolean, changes: readonly PlannedChange[]): Promise<string> {
    const actor = { kind: 'system', id: 'test', name: 'test' } as const;
    const now = new Date();
    const id = newId('job');
    const rulesKey = await readRulesKey(guild.guild);
    // As that version wrote them: with their state and the ranks used, and postponed for four minutes.
    const older = changes.map((change) => ({
      ...{ ...change, planId: id, attempts: 3, dueAt: new Date(now.getTime() + 4 * 60_000) },
      ...{ standing: { state: 'linked', ...change.standing }, nicknameWaitsFor: 'nickname' },
      wentBy: { gameUserId: change.standing.gameUserId, held: [`${guild.groupId}:-`], readAt: now, rulesKey },
    }));
    await PlannedChanges.acrossGuilds.collection.insertMany(older);
    await Plans.insert({
      ...{
        _id: id,
        guildId: guild.guildId,
        open: true,
        kind: 'part',
        parts: 1,
        state: 'running',
        phase: 'applying',
        actor,
      },
      ...{ memberIds: null, fixedPlan, estimate: 4, rulesKey, after: '0', applied: zero, changedBefore: 0, fence: 0 },
      ...{ planned: { members: 4, settled: 2, unknown: 0, blocked: 0 }, createdAt: now, startedAt: now, outbox: [] },
    });
    await wakeResync(id);
    return id;
  }

  for (const fixedPlan of [false, true]) {
    it(`A resync of an older version is finished (${fixedPlan ? 'of a preview' : 'of everyone'})`, async () => {
      const guild = await buildResyncGuild({ count: 3, inStep: 1 });
      const give = { expected: { add: [guild.memberRole] }, kind: 'give' as const };
      const changes = guild.people.slice(1).map((person) => plannedChange(guild, person, give));
      const id = await begun(guild, fixedPlan, changes);
      expect(await resyncIn(guild, id, 'completed')).to.include({ changed: 2, failed: 0, processed: 4, total: 4 });
      for (const person of guild.people) expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
    });
  }
});
