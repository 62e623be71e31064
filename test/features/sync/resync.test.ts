import { expect } from 'chai';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildResyncGuild, memberWrites, resync, resyncEntries, rolesOf, storedChanges } from './resync-setup.js';

describe('Guild resyncs', () => {
  // RESYNC-23
  it('A resync writes only to members out of step, once each, with the job in Discord’s audit log', async () => {
    const { discord, roblox } = await world();
    const guild = await buildResyncGuild({ count: 12, inStep: 9 });
    const [promoted, left, renamed] = guild.people;
    roblox.setRank(guild.groupId, promoted?.gameUserId ?? '', 100);
    roblox.leaveGroup(guild.groupId, left?.gameUserId ?? '');
    discord.setNickname(guild.guildId, renamed?.chatUserId ?? '', 'Somebody');
    discord.forgetRequests();

    const job = await resync(guild);
    expect(job).to.include({ phase: 'applying', changed: 6, failed: 0, blocked: 0, error: null, waitingFor: null });
    // The owner is checked as well; the bot is not.
    expect(job).to.include({ total: 13, processed: 13, etaSeconds: null });
    expect((await memberWrites(guild.guildId)).sort()).to.deep.equal(['DELETE', 'PATCH', 'PUT', 'PUT', 'PUT', 'PUT']);
    expect(await rolesOf(guild, promoted)).to.deep.equal([guild.memberRole, guild.officerRole].sort());
    expect(await rolesOf(guild, left)).to.deep.equal([]);
    for (const person of guild.people.slice(2)) expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
    const reasons = discord.auditLog(guild.guildId).flatMap(({ reason }) => reason ?? []);
    expect(new Set(reasons)).to.deep.equal(new Set([`Rolelink resync ${job.jobId} by test owner`]));
  });

  // RANK-28
  it('A resync sees the new number that a group’s owner has given to a role', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 2 });
    const [veteran] = guild.people;
    const role = roblox.addGroupRole(guild.groupId, { name: 'Veteran', rank: 50 });
    roblox.setGroupRoles(guild.groupId, veteran?.gameUserId ?? '', [role.id]);
    await resync(guild);
    expect(await rolesOf(guild, veteran)).to.deep.equal([guild.memberRole]);
    Object.assign(role, { rank: 150 });
    clock.advance(5 * minuteMs);
    await resync(guild);
    clock.restore();
    expect(await rolesOf(guild, veteran)).to.include(guild.officerRole);
  });

  it('A resync records each change with the member and in the log, and leaves nothing of the plan behind', async () => {
    const guild = await buildResyncGuild({ count: 3, inStep: 2 });
    const job = await resync(guild);
    const changed = guild.people[2]?.chatUserId ?? '';
    const member = await findMember(guild.guildId, changed);
    expect(member?.syncs).to.have.lengthOf(1);
    expect(member?.syncs[0]).to.deep.include({ trigger: 'resync', added: [guild.memberRole], removed: [] });
    expect((await findMember(guild.guildId, guild.people[0]?.chatUserId ?? ''))?.syncs).to.deep.equal([]);
    const synced = (await latestEntries(guild.guildId, 50)).filter(({ action }) => action === 'member.synced');
    expect(synced).to.have.lengthOf(1);
    expect(synced[0]?.requestId).to.equal(job.jobId);
    expect(synced[0]?.changes).to.deep.include({
      roles: { from: [], to: [guild.memberRole] },
      trigger: { from: null, to: 'resync' },
    });
    expect(synced[0]?.target).to.deep.include({ kind: 'member', id: changed });
    expect(synced[0]?.actor).to.include({ kind: 'bot_token', name: 'test owner' });
    const entries = () => resyncEntries(guild.guildId);
    // They follow the write that says completed.
    await eventually(async () => (await entries()).length === 2, 'the entry');
    await eventually(async () => (await storedChanges(job.jobId)) === 0, 'the removal of its changes');
    const [started, completed] = await entries();
    expect(started).to.deep.include({ action: 'resync.started', target: { kind: 'resync', id: job.jobId } });
    expect(completed).to.include({ action: 'resync.completed' });
    expect(completed?.changes).to.deep.equal({
      members: { from: null, to: 4 },
      changed: { from: null, to: 1 },
      failed: { from: null, to: 0 },
    });
  });

  it('A resync reads ranks once for its plan and once more for members losing roles, and applies a young plan by them', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 12, inStep: 6 });
    const [promoted, left] = guild.people;
    roblox.setRank(guild.groupId, promoted?.gameUserId ?? '', 100);
    roblox.leaveGroup(guild.groupId, left?.gameUserId ?? '');
    roblox.forgetRequests();
    expect(await resync(guild)).to.include({ changed: 8 });
    const ofMany = roblox.requests.filter(({ path }) => path.startsWith('/cloud/') && path.endsWith('/memberships'));
    expect(ofMany).to.have.lengthOf(2);
  });

  // RESYNC-14
  it('A resync reads all members in one page, their ranks in one request, and writes nothing when all are in step', async () => {
    const { discord, roblox } = await world();
    const guild = await buildResyncGuild({ count: 40 });
    const job = await resync(guild);
    expect(job).to.include({ changed: 0, processed: 41, total: 41 });
    const asked = discord.requests.filter(({ path }) => path.includes(`/guilds/${guild.guildId}/members`));
    expect(asked.map(({ method, path }) => `${method} ${path.split('/').at(-1)}`)).to.deep.equal(['GET members']);
    expect(roblox.requests.filter(({ path }) => path.endsWith('/memberships'))).to.have.lengthOf(1);
  });
});
