import { expect } from 'chai';
import { findMember } from '../../../src/features/members/member-service.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { wakeOpenResyncs } from '../../../src/features/sync/resync/resync-job.js';
import { eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import {
  buildResyncGuild,
  memberWrites,
  type ResyncGuild,
  resync,
  resyncEntries,
  resyncIn,
  resyncWhere,
  rolesOf,
} from './resync-setup.js';

const start = async ({ api: client, path }: ResyncGuild) => (await client.post(`${path}/resync`)).body.jobId as string;

/** Waits until the resync waits for something, and gives its view. */
const waiting = (guild: ResyncGuild, jobId: string) =>
  resyncWhere(guild, jobId, ({ waitingFor }) => waitingFor !== null);

/** The time has come at which a waiting resync tries again. */
async function tryAgain({ guildId }: ResyncGuild, since?: Date): Promise<void> {
  const due = { 'waiting.until': new Date(), ...(since && { 'waiting.since': since }) };
  await Plans.update({ guildId, open: true }, { $set: due });
  await wakeOpenResyncs(new Date(Date.now() + 1_000));
}

const allHold = async (guild: ResyncGuild): Promise<boolean> => {
  const roles = await Promise.all(guild.people.map((person) => rolesOf(guild, person)));
  return roles.every((ids) => ids?.includes(guild.memberRole));
};

// RESYNC-18, RESYNC-20
describe('Outages during a guild resync', () => {
  afterEach(async () => {
    const { discord, roblox } = await world();
    discord.clearFaults();
    roblox.clearFaults();
  });

  it('A resync waits while Roblox refuses, removes no role, and finishes when Roblox is back', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 4, inStep: 3 });
    const [leaver] = guild.people;
    roblox.leaveGroup(guild.groupId, leaver?.gameUserId ?? '');
    roblox.inject({ match: /memberships/, status: 403 });
    const jobId = await start(guild);
    const job = await waiting(guild, jobId);
    expect(job).to.include({ state: 'running', waitingFor: 'game_platform_unavailable', changed: 0, error: null });
    await tryAgain(guild);
    const attempts = async () => (await Plans.findOne({ guildId: guild.guildId, open: true }))?.waiting?.attempts;
    await eventually(async () => (await attempts()) === 2, 'the second attempt');
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    roblox.clearFaults();
    await tryAgain(guild);
    const done = await resyncIn(guild, jobId, 'completed');
    expect(done).to.include({ changed: 2, failed: 0, waitingFor: null });
    expect(await rolesOf(guild, leaver)).to.deep.equal([]);
    expect(await rolesOf(guild, guild.people[3])).to.deep.equal([guild.memberRole]);
  });

  it('A resync fails when Roblox has refused for a day, and lets the next one begin', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 2 });
    roblox.inject({ match: /memberships/, status: 403 });
    const jobId = await start(guild);
    await waiting(guild, jobId);
    await tryAgain(guild, new Date(Date.now() - 25 * 60 * 60_000));
    const failed = await resyncIn(guild, jobId, 'failed');
    expect(failed.error).to.include({ code: 'game_platform_unavailable' });
    const actions = async () => (await resyncEntries(guild.guildId)).map(({ action }) => action);
    await eventually(async () => (await actions()).includes('resync.failed'), 'the entry');
    roblox.clearFaults();
    expect((await resync(guild)).jobId).not.to.equal(jobId);
  });

  // RESYNC-6
  it('A resync takes nothing from people missing from the group in one answer only', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 6 });
    const [leaver] = guild.people;
    roblox.leaveGroup(guild.groupId, leaver?.gameUserId ?? '');
    roblox.inject({ match: /apis.*memberships/, corrupt: 'empty_data', times: 1 });
    const job = await resync(guild);
    expect(job).to.include({ changed: 1, processed: 7 });
    expect(await rolesOf(guild, leaver)).to.deep.equal([]);
    for (const person of guild.people.slice(1)) expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
    // They have their own pending sync, which finds nothing to change.
    expect((await findMember(guild.guildId, guild.people[1]?.chatUserId ?? ''))?.owedSync).to.include({
      trigger: 'resync',
    });
  });

  // RESYNC-6
  it('A resync takes nothing for a demotion that the second reading does not confirm', async () => {
    const { discord, roblox } = await world();
    const guild = await buildResyncGuild({ count: 2 });
    const [wrongly, rightly] = guild.people;
    for (const { chatUserId } of guild.people) {
      discord.setMemberRoles(guild.guildId, chatUserId, [guild.memberRole, guild.officerRole]);
    }
    roblox.inject({ match: /memberships/, times: 1 });
    const second = roblox.hold({ match: /memberships/ });
    const jobId = await start(guild);
    await second.reached;
    expect(await Plans.findOne({ _id: jobId, guildId: guild.guildId })).to.include({ phase: 'checking' });
    roblox.setRank(guild.groupId, wrongly?.gameUserId ?? '', 100);
    second.letGo();
    expect(await resyncIn(guild, jobId, 'completed')).to.include({ changed: 1 });
    expect(await rolesOf(guild, wrongly)).to.contain(guild.officerRole);
    expect(await rolesOf(guild, rightly)).to.deep.equal([guild.memberRole]);
    const doubted = await findMember(guild.guildId, wrongly?.chatUserId ?? '');
    expect(doubted?.owedSync).to.include({ trigger: 'resync' });
  });

  it('A resync takes nothing from people about whom Roblox’s interfaces contradict each other', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 6 });
    roblox.inject({ match: /apis.*memberships/, corrupt: 'empty_data' });
    const job = await resync(guild);
    expect(job).to.include({ changed: 0, processed: 7 });
    expect(await allHold(guild)).to.equal(true);
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
  });

  it('A resync leaves a broken answer of Roblox aside as if there had been none', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 3 });
    roblox.inject({ match: /apis.*memberships/, corrupt: 'truncated', times: 1 });
    expect(await resync(guild)).to.include({ changed: 0 });
    expect(await allHold(guild)).to.equal(true);
  });

  it('A resync keeps everyone’s roles when the group is deleted', async () => {
    const { roblox } = await world();
    const guild = await buildResyncGuild({ count: 3, inStep: 2 });
    roblox.removeGroup(guild.groupId);
    await resync(guild);
    expect(await rolesOf(guild, guild.people[0])).to.deep.equal([guild.memberRole]);
    expect(await rolesOf(guild, guild.people[2])).to.deep.equal([]);
  });

  it('A resync waits while Discord is away, and makes each change once when it is back', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 7, inStep: 0 });
    discord.inject({ match: new RegExp(`^PUT .*/guilds/${guild.guildId}/members/`), status: 503 });
    const jobId = await start(guild);
    const job = await waiting(guild, jobId);
    expect(job).to.include({ waitingFor: 'chat_platform_unavailable', changed: 0 });
    discord.clearFaults();
    discord.forgetRequests();
    await tryAgain(guild);
    const done = await resyncIn(guild, jobId, 'completed');
    expect(done).to.include({ changed: 7, failed: 0 });
    expect(await allHold(guild)).to.equal(true);
    expect(await memberWrites(guild.guildId)).to.have.lengthOf(7);
  });

  it('A resync does not repeat a write that Discord made without an answer', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 2, inStep: 0 });
    const [, second] = guild.people;
    const match = new RegExp(`^PUT .*/members/${second?.chatUserId}/`);
    // discord.js itself tries three times.
    discord.inject({ match, status: 500, when: 'after', times: 3 });
    const done = await resync(guild);
    expect(done).to.include({ changed: 2, failed: 0 });
    expect(discord.auditLog(guild.guildId).filter(({ reason }) => reason !== null)).to.have.lengthOf(2);
    expect((await findMember(guild.guildId, second?.chatUserId ?? ''))?.syncs).to.have.lengthOf(1);
    expect((await memberWrites(guild.guildId)).length).to.equal(1 + 3);
  });
});
