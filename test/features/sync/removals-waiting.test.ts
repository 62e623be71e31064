import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { noRestrictions } from '../../../src/core/settings/restrictions.js';
import { Members } from '../../../src/features/members/member-model.js';
import { pendingSync } from '../../../src/features/members/pending-syncs.js';
import { startReconciliations } from '../../../src/features/sync/resync/resync-schedule.js';
import { openResync } from '../../../src/features/sync/resync/resync-service.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildMember, eventually, type TestPerson } from '../../support/build.js';
import { factsWhere } from '../../support/events.js';
import { type World, world } from '../../support/world.js';
import { pairOf, runImport } from '../people-import/import-setup.js';
import { at } from './preview-setup.js';
import { buildResyncGuild, type ResyncGuild, resync, resyncIn, resyncWhere, rolesOf } from './resync-setup.js';
import { pendingSyncOf, setSettings } from './sync-setup.js';
import { beginAlone, beginWatch, watchAfter } from './watch-setup.js';

const count = 6;
/** The limit is three people, so two may lose roles within an hour. */
const most = 2;

/** SYNC-10, SYNC-11, SYNC-62, SYNC-63, SYNC-64: every way round the removal limit that trials from outside found. */
describe('The removal limit of a server', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: ResyncGuild;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildResyncGuild({ count });
    await limit(3);
  });
  afterEach(() => {
    discord.clearFaults();
    clock.restore();
  });

  const limit = (people: number) => {
    const nickname = { ...defaultSettings.nickname, enabled: false };
    return setSettings(guild, { nickname, massRemoval: { people, sharePercent: 10 } });
  };
  const allLeaveGroup = () => {
    for (const { gameUserId } of guild.people) roblox.leaveGroup(guild.groupId, gameUserId);
  };
  const holders = async (): Promise<number> => {
    const held = await Promise.all(guild.people.map((person) => rolesOf(guild, person)));
    return held.filter((roleIds) => roleIds?.includes(guild.memberRole)).length;
  };
  /** As the rank watch does for a changed rank. */
  const enqueueAll = (trigger: 'rank_change' | 'resync') =>
    Members.acrossGuilds.updateMany({ guildId: guild.guildId }, { $set: pendingSync(trigger) });
  const syncAll = () => runPendingSyncs(guild.guildId);
  const freed = () => eventually(() => pendingSyncOf(guild, at(guild.people, count - 1)), 'the freed syncs');
  const healthOf = async () => {
    const { body } = await guild.api.get(guild.path);
    return body.health.find(({ code }: { code: string }) => code === 'removal_limit');
  };
  /** The waiting plan that follows from single syncs' removals. */
  const waitingPlan = async (): Promise<string> => {
    const due = { _id: guild.guildId, catchUpSince: { $exists: true } };
    const made = await GuildRecord.collection.updateOne(due as object, { $set: { catchUpAt: new Date(0) } });
    expect(made.matchedCount).to.equal(1);
    await startReconciliations(new AbortController().signal);
    const job = await eventually(async () => {
      const open = await openResync(guild.guildId, 'whole');
      return open?.awaitingConfirmation ? open : null;
    }, 'the waiting plan');
    return job._id;
  };
  const confirm = async (jobId: string) => {
    expect((await guild.api.post(`${guild.path}/resync`, { confirm: jobId })).status).to.equal(202);
    await resyncIn(guild, jobId, 'completed');
  };

  it('People freed from an obstacle at the same moment wait for an admin beyond the limit, and go once confirmed', async () => {
    discord.moveRole(guild.guildId, guild.memberRole, 99);
    allLeaveGroup();
    expect(await resync(guild)).to.include({ changed: 0, blocked: count });
    discord.moveRole(guild.guildId, guild.memberRole, 1);
    await freed();
    await syncAll();
    expect(await holders()).to.equal(count - most);
    const jobId = await waitingPlan();
    expect(await healthOf()).to.include({ count: count - most, resyncId: jobId });
    await syncAll();
    expect(await holders()).to.equal(count - most);
    await confirm(jobId);
    expect(await holders()).to.equal(0);
    expect(await healthOf()).to.equal(undefined);
  });

  it('Taking and granting Manage Roles does not free more people than the limit', async () => {
    const { id, permissions } = discord.botRole(guild.guildId);
    const permit = async (to: bigint) => {
      discord.updateRole(guild.guildId, id, { permissions: to });
      await factsWhere(guild.guildId, ({ bot }) => bot.permissions === to, 'the permissions');
    };
    await permit(permissions & ~PermissionFlagsBits.ManageRoles);
    allLeaveGroup();
    await resync(guild);
    await permit(permissions);
    await freed();
    await syncAll();
    expect(await holders()).to.equal(count - most);
  });

  it('Confirming a dangerous role does not free more people than the limit', async () => {
    const { ManageMessages } = PermissionFlagsBits;
    discord.updateRole(guild.guildId, guild.memberRole, { permissions: ManageMessages });
    await factsWhere(
      guild.guildId,
      ({ roles }) => roles.get(guild.memberRole)?.permissions === ManageMessages,
      'the permissions',
    );
    allLeaveGroup();
    expect(await resync(guild)).to.include({ blocked: count });
    const { body } = await guild.api.get(`${guild.path}/mappings`);
    const mapping = body.data.find(({ roleIds }: { roleIds: string[] }) => roleIds.includes(guild.memberRole));
    const { name, condition, roleIds, removeWhenUnmatched, mappingId } = mapping;
    const draft = { name, condition, roleIds, removeWhenUnmatched, enabled: true };
    expect((await guild.api.put(`${guild.path}/mappings/${mappingId}`, draft)).status).to.equal(200);
    await freed();
    await syncAll();
    expect(await holders()).to.equal(count - most);
  });

  it('Ranks that change for everybody at once take roles from no more people than the limit', async () => {
    await beginAlone();
    guild = await buildResyncGuild({ count });
    await limit(3);
    for (const { gameUserId } of guild.people) roblox.setRank(guild.groupId, gameUserId, 100);
    await resync(guild);
    await beginWatch(guild);
    for (const { gameUserId } of guild.people) roblox.setRank(guild.groupId, gameUserId, 1);
    await watchAfter(600);
    await syncAll();
    const held = await Promise.all(guild.people.map((person) => rolesOf(guild, person)));
    expect(held.filter((roleIds) => roleIds?.includes(guild.officerRole)).length).to.equal(count - most);
  });

  it('Single syncs take nothing that a waiting resync asks about, and go on with everybody else', async () => {
    const [first, ...others] = guild.people;
    const officer = at(guild.people, 0);
    roblox.setRank(guild.groupId, officer.gameUserId, 100);
    await resync(guild);
    for (const { gameUserId } of others) roblox.leaveGroup(guild.groupId, gameUserId);
    const { body } = await guild.api.post(`${guild.path}/resync`);
    await resyncWhere(guild, body.jobId, ({ awaitingConfirmation }) => awaitingConfirmation !== null);
    await enqueueAll('rank_change');
    await syncAll();
    expect(await holders()).to.equal(count);
    roblox.setRank(guild.groupId, officer.gameUserId, 1);
    await enqueueAll('rank_change');
    await syncAll();
    expect(await rolesOf(guild, first)).to.deep.equal([guild.memberRole]);
    await confirm(body.jobId);
    expect(await holders()).to.equal(1);
  });

  it('After a waiting resync is cancelled, its removals don’t come singly, until everybody’s plan is below the limit', async () => {
    allLeaveGroup();
    const { body } = await guild.api.post(`${guild.path}/resync`);
    await resyncWhere(guild, body.jobId, ({ awaitingConfirmation }) => awaitingConfirmation !== null);
    expect((await guild.api.delete(`${guild.path}/resync/${body.jobId}`)).status).to.equal(200);
    await enqueueAll('rank_change');
    await syncAll();
    clock.advance(hourMs + 60_000);
    await enqueueAll('resync');
    await syncAll();
    expect(await holders()).to.equal(count);
    const part = await guild.api.post(`${guild.path}/resync`, { memberIds: [at(guild.people, 0).chatUserId] });
    await resyncWhere(guild, part.body.jobId, ({ awaitingConfirmation }) => awaitingConfirmation !== null);
    await guild.api.delete(`${guild.path}/resync/${part.body.jobId}`);
    for (const { gameUserId } of guild.people.slice(2)) roblox.setRank(guild.groupId, gameUserId, 1);
    expect(await resync(guild)).to.include({ changed: 2 });
    expect(await holders()).to.equal(count - 2);
  });

  // RESTR-12
  it('Kicks count singly, and a confirmed resync, which leaves them to single syncs, has counted them all', async () => {
    const { id, permissions } = discord.botRole(guild.guildId);
    discord.updateRole(guild.guildId, id, { permissions: permissions | PermissionFlagsBits.KickMembers });
    await eventually(async () => (await guild.api.get(guild.path)).body.botPermissions.includes('KickMembers'));
    const deniedGameUserIds = guild.people.map(({ gameUserId }) => gameUserId);
    const massRemoval = { people: 3, sharePercent: 10 };
    await setSettings(guild, { massRemoval, restrictions: { ...noRestrictions, action: 'kick', deniedGameUserIds } });
    const present = () => guild.people.filter(({ chatUserId }) => discord.member(guild.guildId, chatUserId)).length;
    await enqueueAll('resync');
    await syncAll();
    expect(present()).to.equal(count - most);
    const jobId = await waitingPlan();
    await syncAll();
    expect(present()).to.equal(count - most);
    await confirm(jobId);
    await syncAll();
    expect(present()).to.equal(0);
  });

  it('One request that unlinks everybody takes roles from no more people than the limit', async () => {
    const members = guild.people.map(({ chatUserId }) => ({ memberId: chatUserId }));
    const { body } = await guild.api.post(`${guild.path}/members/unlink`, { members });
    expect(body.data.filter(({ unlinked }: { unlinked: boolean }) => unlinked)).to.have.lengthOf(count);
    await syncAll();
    expect(await holders()).to.equal(count - most);
    await confirm(await waitingPlan());
    expect(await holders()).to.equal(0);
  });

  it('An import of people outside the group takes roles from no more people than the limit', async () => {
    const strangers: TestPerson[] = [];
    for (let index = 0; index < count; index += 1)
      strangers.push(await buildMember(guild, { linked: false, roleIds: [guild.memberRole] }));
    await runImport(guild, { people: strangers.map(pairOf) });
    await syncAll();
    const held = await Promise.all(strangers.map((person) => rolesOf(guild, person)));
    expect(held.filter((roleIds) => roleIds?.includes(guild.memberRole))).to.have.length(count - most);
    await confirm(await waitingPlan());
    for (const person of strangers) expect(await rolesOf(guild, person)).to.not.include(guild.memberRole);
  });

  it('The removal limit counts no losses of more than an hour ago', async () => {
    const [first, second, third, fourth] = guild.people.map(({ gameUserId }) => gameUserId);
    const leave = async (gameUserId = '') => {
      roblox.leaveGroup(guild.groupId, gameUserId);
      await enqueueAll('rank_change');
      await syncAll();
    };
    await leave(first);
    clock.advance(hourMs / 2);
    await leave(second);
    await leave(third);
    expect(await holders()).to.equal(count - 2);
    clock.advance(hourMs / 2 + 120_000);
    await leave(fourth);
    expect(await holders()).to.equal(count - 3);
  });
});
