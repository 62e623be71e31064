import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { applyChange } from '../../../src/features/sync/resync/resync-change.js';
import type { ResyncChange } from '../../../src/features/sync/resync/resync-change-model.js';
import { readGuildFacts } from '../../../src/platforms/discord/guild-facts.js';
import { world } from '../../support/world.js';
import { heard, listen } from '../events/listening.js';
import { at } from './preview-setup.js';
import { buildResyncGuild, memberWrites, plannedChange, type ResyncGuild, rolesOf } from './resync-setup.js';
import { refusal } from './sync-setup.js';

const jobId = 'job_000000000000000000000001';
const cause = { trigger: 'resync', actor: systemActor('test'), jobId } as const;

describe('Interrupted changes of a resync', () => {
  let guild: ResyncGuild;
  let change: ResyncChange;

  afterEach(async () => (await world()).discord.clearFaults());

  /** One linked member, who lacks these roles. */
  async function planned(roles: (guild: ResyncGuild) => string[]): Promise<void> {
    guild = await buildResyncGuild({ count: 1, inStep: 0 });
    await listen(guild);
    const add = roles(guild);
    change = plannedChange(guild, at(guild.people, 0), { jobId, add, kind: add.length > 1 ? 'edit' : 'give' });
  }

  const apply = async (which = change) =>
    (
      await applyChange(which, {
        facts: await readGuildFacts(guild.guildId),
        cause,
        lease: { fence: Date.now(), requireHeld: () => undefined },
        heldRoleIds: new Set<string>(),
        onlyAsSeen: false,
        standing: null,
      })
    ).state;
  const stored = () => getMember(guild.guildId, change.chatUserId);

  /** What is stored and told once it is done. */
  async function isToldOnce(): Promise<void> {
    const member = await stored();
    expect(member).not.to.have.any.keys('applying', 'owedSync');
    expect(member.syncs).to.have.length(1);
    expect(member.syncs[0]).to.deep.include({ trigger: 'resync', added: change.add, removed: [], jobId });
    expect(await heard(guild, 'role.synced')).to.have.length(1);
    const entries = await latestEntries(guild.guildId, 50);
    expect(entries.filter(({ action }) => action === 'member.synced')).to.have.length(1);
    expect(await rolesOf(guild, guild.people[0])).to.deep.equal([...change.add].sort());
  }

  for (const [name, roles] of [
    ['one role', (of: ResyncGuild) => [of.memberRole]],
    ['two roles', (of: ResyncGuild) => [of.memberRole, of.officerRole].sort()],
  ] as const) {
    it(`A change of a resync is kept with the member before Discord is asked, and told of once (${name})`, async () => {
      await planned(roles);
      const { discord } = await world();
      discord.inject({ match: /^(PUT|PATCH) .*\/members\//, dropSocket: true, when: 'after' });
      expect(await refusal(apply())).to.include({ code: 'chat_platform_unavailable' });
      const begun = await stored();
      expect(begun.applying).to.deep.include({ added: change.add, removed: [] });
      expect(begun).not.to.have.property('owedSync');
      expect(begun.syncs).to.deep.equal([]);
      discord.clearFaults();
      discord.forgetRequests();
      expect(await apply()).to.equal('done');
      expect(await memberWrites(guild.guildId)).to.deep.equal([]);
      await isToldOnce();
    });
  }

  it('A change that was noted with the member is done without another look at Discord', async () => {
    await planned(({ memberRole }) => [memberRole]);
    expect(await apply()).to.equal('done');
    const { discord } = await world();
    discord.forgetRequests();
    expect(await apply()).to.equal('done');
    expect(discord.requests.filter(({ path }) => path.includes('/members/'))).to.deep.equal([]);
    await isToldOnce();
    expect(await apply({ ...change, jobId: 'job_000000000000000000000002' })).to.equal('skipped');
  });
});
