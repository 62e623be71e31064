import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import type { TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildResyncGuild, type ResyncGuild, resyncIn, resyncWhere, rolesOf } from './resync-setup.js';

/** Starts a resync that stands still at its first change until `release`; the rest happens in between. */
async function pausedResync(guild: ResyncGuild): Promise<{ jobId: string; release(): Promise<object> }> {
  const { discord } = await world();
  const first = guild.people[0]?.chatUserId;
  const match = new RegExp(`^(PUT|DELETE|PATCH) .*/members/${first}`);
  const change = discord.hold({ match });
  const { body } = await guild.api.post(`${guild.path}/resync`);
  await change.reached;
  const release = () => {
    change.letGo();
    return resyncIn(guild, body.jobId, 'completed');
  };
  return { jobId: body.jobId, release };
}

const syncByHand = ({ api: client, path }: ResyncGuild, person: TestPerson | undefined) =>
  client.post(`${path}/members/${person?.chatUserId}/resync`);

// RESYNC-16
describe('Events during a guild resync', () => {
  afterEach(async () => {
    const { discord, roblox } = await world();
    discord.clearFaults();
    roblox.clearFaults();
    clock.restore();
  });

  // SYNC-40
  it('A resync does not undo a member’s newer sync', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 3, inStep: 3 });
    const [first, second] = guild.people;
    for (const person of [first, second]) roblox.setRank(guild.groupId, person?.gameUserId ?? '', 100);
    const paused = await pausedResync(guild);
    roblox.setRank(guild.groupId, second?.gameUserId ?? '', 1);
    expect((await syncByHand(guild, second)).body).to.deep.include({ added: [], removed: [] });
    expect(await paused.release()).to.include({ changed: 1, failed: 0, processed: 4 });
    expect(await rolesOf(guild, first)).to.deep.equal([guild.memberRole, guild.officerRole].sort());
    expect(await rolesOf(guild, second)).to.deep.equal([guild.memberRole]);
  });

  // RESYNC-16
  it('A change by a sync that was under way during the plan is told once', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 2, inStep: 1 });
    const [, second] = guild.people;
    const write = discord.hold({ match: new RegExp(`^PUT .*/members/${second?.chatUserId}`), times: 1 });
    const synced = syncByHand(guild, second);
    await write.reached;
    const { jobId } = (await guild.api.post(`${guild.path}/resync`)).body;
    await resyncWhere(guild, jobId, ({ phase }) => phase === 'applying');
    write.letGo();
    expect((await synced).body.added).to.deep.equal([guild.memberRole]);
    expect(await resyncIn(guild, jobId, 'completed')).to.include({ failed: 0 });
    const told = (await latestEntries(guild.guildId, 50)).filter(({ action }) => action === 'member.synced');
    expect(told).to.have.length(1);
  });

  it('A resync gives nothing to a member unlinked during it', async () => {
    const guild = await buildResyncGuild({ count: 2, inStep: 0 });
    const [, second] = guild.people;
    const paused = await pausedResync(guild);
    expect((await guild.api.delete(`${guild.path}/members/${second?.chatUserId}/link`)).status).to.equal(204);
    expect(await paused.release()).to.include({ changed: 1 });
    expect(await rolesOf(guild, second)).to.deep.equal([]);
  });

  it('A resync keeps the link of a member leaving during it, and continues', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 3, inStep: 0 });
    const [, second, third] = guild.people;
    const paused = await pausedResync(guild);
    discord.leave(guild.guildId, second?.chatUserId ?? '');
    expect(await paused.release()).to.include({ changed: 2, failed: 0, processed: 4 });
    expect(await rolesOf(guild, third)).to.deep.equal([guild.memberRole]);
    const left = await findMember(guild.guildId, second?.chatUserId ?? '');
    expect(left).to.include({ state: 'linked', present: false });
  });

  it('A resync names a role that is deleted during it as blocked, and gives the others', async () => {
    const { discord, roblox } = await world();
    const guild = await buildResyncGuild({ count: 4, inStep: 0 });
    const [, , third] = guild.people;
    roblox.setRank(guild.groupId, third?.gameUserId ?? '', 100);
    const paused = await pausedResync(guild);
    discord.deleteRole(guild.guildId, guild.memberRole);
    const job = await paused.release();
    expect(job).to.include({ failed: 0, processed: 5 });
    expect(job).to.have.property('blocked').that.is.at.least(3);
    expect(await rolesOf(guild, third)).to.deep.equal([guild.officerRole]);
    const refused = discord.requests.filter(({ method, status }) => method !== 'GET' && status >= 400);
    expect(refused.length).to.be.at.most(2);
  });

  it('A resync plans again when the mappings change, and ends by the new mappings', async () => {
    const guild = await buildResyncGuild({ count: 4, inStep: 0 });
    const { discord } = await world();
    const { body: mappings } = await guild.api.get(`${guild.path}/mappings`);
    const member = mappings.data.find(({ roleIds }: { roleIds: string[] }) => roleIds.includes(guild.memberRole));
    const first = discord.hold({ match: new RegExp(`^PUT .*/guilds/${guild.guildId}/members/`) });
    const { body: job } = await guild.api.post(`${guild.path}/resync`);
    await first.reached;
    const { name, condition, removeWhenUnmatched } = member;
    const changed = { name, condition, roleIds: [guild.officerRole], removeWhenUnmatched, enabled: true };
    expect((await guild.api.put(`${guild.path}/mappings/${member.mappingId}`, changed)).status).to.equal(200);
    // The rules are read every two seconds.
    clock.advance(2_000);
    first.letGo();
    const done = await resyncIn(guild, job.jobId, 'completed');
    expect(done).to.include({ processed: 5, total: 5, failed: 0 });
    expect(done.changed).to.equal(5);
    for (const person of guild.people) expect(await rolesOf(guild, person)).to.contain(guild.officerRole);
    const held = await Promise.all(guild.people.map((person) => rolesOf(guild, person)));
    // A role that no mapping gives any more is kept: it is not ours to take.
    expect(held.filter((ids) => ids?.includes(guild.memberRole)).length).to.equal(1);
    const entries = await latestEntries(guild.guildId, 100);
    expect(entries.filter(({ action }) => action === 'member.synced')).to.have.lengthOf(done.changed);
  });
});
