import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { noRestrictions } from '../../../src/core/settings/restrictions.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { endUnconfirmed } from '../../../src/features/sync/resync/resync-job.js';
import { clock } from '../../../src/lib/clock.js';
import { api } from '../../support/api.js';
import { eventually, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';
import { at, preview } from './preview-setup.js';
import {
  buildResyncGuild,
  memberWrites,
  type ResyncGuild,
  resync,
  resyncEntries,
  resyncIn,
  resyncWhere,
  rolesOf,
  storedChanges,
} from './resync-setup.js';
import { setSettings } from './sync-setup.js';

/** A guild with `losing` members that have left the Roblox group. */
async function buildLosing(count: number, losing: number): Promise<ResyncGuild> {
  const { roblox } = await world();
  const guild = await buildResyncGuild({ count });
  for (const { gameUserId } of guild.people.slice(0, losing)) roblox.leaveGroup(guild.groupId, gameUserId);
  return guild;
}

/** Starts a resync and waits until it is held back. */
async function startHeld(guild: ResyncGuild) {
  const { body } = await guild.api.post(`${guild.path}/resync`);
  return resyncWhere(guild, body.jobId, ({ awaitingConfirmation }) => awaitingConfirmation !== null);
}

// RESYNC-7, RESYNC-10, RESYNC-11
describe('The mass-removal brake of a resync', () => {
  afterEach(async () => {
    (await world()).discord.clearFaults();
    clock.restore();
  });

  it('A resync that would take roles from more than 30 % and at least 20 people is held back until it is cancelled', async () => {
    const guild = await buildLosing(25, 20);
    const job = await startHeld(guild);
    expect(job).to.include({ state: 'running', phase: 'planning', changed: 0, total: 26 });
    expect(job.awaitingConfirmation).to.deep.equal({ losing: 20, share: 20 / 26 });
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    expect((await guild.api.post(`${guild.path}/resync`)).body.jobId).to.equal(job.jobId);
    expect((await guild.api.delete(`${guild.path}/resync/${job.jobId}`)).body).to.include({
      state: 'cancelled',
      awaitingConfirmation: null,
    });
    expect((await guild.api.post(`${guild.path}/resync`, { confirm: job.jobId })).body.code).to.equal(
      'nothing_to_confirm',
    );
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    expect(await storedChanges(job.jobId)).to.equal(0);
    const [, held, cancelled] = await resyncEntries(guild.guildId);
    expect(held).to.include({ action: 'resync.held' });
    expect(held?.changes).to.deep.equal({ losing: { from: 0, to: 20 }, members: { from: 26, to: 26 } });
    expect(held?.actor).to.include({ kind: 'system', name: 'mass-removal-brake' });
    expect(cancelled).to.include({ action: 'resync.cancelled' });
  });

  it('A resync is not held back by fewer people than are set, nor by any number that is a small share', async () => {
    const few = await buildLosing(20, 8);
    await setSettings(few, { massRemoval: { sharePercent: 30, people: 9 } });
    expect(await resync(few)).to.include({ state: 'completed', changed: 8 });
    const small = await buildLosing(10, 3);
    await setSettings(small, { massRemoval: { sharePercent: 30, people: 1 } });
    expect(await resync(small)).to.include({ state: 'completed', changed: 3 });
  });

  it('A resync is held back by a single person, where one is set', async () => {
    const guild = await buildLosing(2, 1);
    await setSettings(guild, { massRemoval: { sharePercent: 10, people: 1 } });
    const memberIds = [guild.people[0]?.chatUserId];
    const { body } = await guild.api.post(`${guild.path}/resync`, { memberIds });
    const held = await resyncWhere(guild, body.jobId, ({ awaitingConfirmation }) => awaitingConfirmation !== null);
    expect(held.awaitingConfirmation).to.deep.equal({ losing: 1, share: 1 });
    expect(await rolesOf(guild, guild.people[0])).to.deep.equal([guild.memberRole]);
  });

  it('A resync that is held back continues when an admin confirms, and a manager may not', async () => {
    const guild = await buildLosing(6, 4);
    await setSettings(guild, { massRemoval: { sharePercent: 50, people: 4 } });
    const job = await startHeld(guild);
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    const refused = await manager.post(`${guild.path}/resync`, { confirm: job.jobId });
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'forbidden']);
    const admin = api(await tokenFor(guild.guildId, 'admin'));
    const confirmed = await admin.post(`${guild.path}/resync`, { confirm: job.jobId });
    expect([confirmed.status, confirmed.body.awaitingConfirmation]).to.deep.equal([202, null]);
    const done = await resyncIn(guild, job.jobId, 'completed');
    expect(done).to.include({ phase: 'applying', changed: 4, processed: 7 });
    expect(await rolesOf(guild, guild.people[0])).to.deep.equal([]);
    expect(await rolesOf(guild, guild.people[5])).to.deep.equal([guild.memberRole]);
    const entries = await latestEntries(guild.guildId, 100);
    expect(entries.find(({ action }) => action === 'resync.confirmed')?.actor.name).to.equal('test admin');
  });

  const confirm = async (guild: ResyncGuild, jobId: string) =>
    expect((await guild.api.post(`${guild.path}/resync`, { confirm: jobId })).status).to.equal(202);

  it('A confirmed resync reads everything again, and asks again when more would lose roles', async () => {
    const { roblox } = await world();
    const guild = await buildLosing(6, 3);
    await setSettings(guild, { massRemoval: { sharePercent: 20, people: 2 } });
    const { jobId } = await startHeld(guild);
    const [back, , , fourth, fifth] = guild.people;
    roblox.setRank(guild.groupId, back?.gameUserId ?? '', 1);
    for (const person of [fourth, fifth]) roblox.leaveGroup(guild.groupId, person?.gameUserId ?? '');
    await confirm(guild, jobId);
    const again = await resyncWhere(guild, jobId, ({ awaitingConfirmation: held }) => held?.losing === 4);
    expect(again.awaitingConfirmation).to.deep.equal({ losing: 4, share: 4 / 7 });
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
    roblox.setRank(guild.groupId, fourth?.gameUserId ?? '', 1);
    await confirm(guild, jobId);
    expect(await resyncIn(guild, jobId, 'completed')).to.include({ changed: 3 });
    for (const person of [back, fourth]) expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
    const held = (await resyncEntries(guild.guildId)).filter(({ action }) => action === 'resync.held');
    expect(held.map(({ changes }) => changes?.losing?.to)).to.deep.equal([3, 4]);
  });

  it('A confirmed resync by a preview reads again the ranks of members about to lose roles', async () => {
    const { roblox } = await world();
    const guild = await buildLosing(6, 3);
    await setSettings(guild, { massRemoval: { sharePercent: 20, people: 2 } });
    const { previewId } = await preview(guild);
    const { body } = await guild.api.post(`${guild.path}/resync`, { previewId });
    await resyncWhere(guild, body.jobId, ({ awaitingConfirmation }) => awaitingConfirmation?.losing === 3);
    roblox.setRank(guild.groupId, guild.people[0]?.gameUserId ?? '', 1);
    await confirm(guild, body.jobId);
    expect(await resyncIn(guild, body.jobId, 'completed')).to.include({ changed: 2 });
    expect(await rolesOf(guild, guild.people[0])).to.deep.equal([guild.memberRole]);
  });

  // RESYNC-8
  it('A resync counts people with roles lost in its run before the rules changed', async () => {
    const { discord, roblox } = await world();
    const guild = await buildLosing(6, 1);
    for (const { gameUserId } of guild.people.slice(3)) roblox.setRank(guild.groupId, gameUserId, 100);
    await setSettings(guild, { massRemoval: { sharePercent: 10, people: 3 } });
    const { body: mappings } = await guild.api.get(`${guild.path}/mappings`);
    const member = mappings.data.find(({ roleIds }: { roleIds: string[] }) => roleIds.includes(guild.memberRole));
    // The officer roles wait behind it, so that the rules change while there is something left to do.
    const loss = discord.hold({ match: new RegExp(`^DELETE .*/guilds/${guild.guildId}/members/`) });
    const { body: job } = await guild.api.post(`${guild.path}/resync`);
    await loss.reached;
    const { name, condition, roleIds, removeWhenUnmatched } = member;
    const stricter = { name, condition: { ...condition, min: 50 }, roleIds, removeWhenUnmatched, enabled: true };
    expect((await guild.api.put(`${guild.path}/mappings/${member.mappingId}`, stricter)).status).to.equal(200);
    // The rules are read every two seconds.
    clock.advance(2_000);
    loss.letGo();
    const held = await resyncWhere(guild, job.jobId, ({ awaitingConfirmation }) => awaitingConfirmation !== null);
    expect(held.awaitingConfirmation?.losing).to.equal(3);
    await confirm(guild, job.jobId);
    await resyncIn(guild, job.jobId, 'completed');
    for (const person of guild.people.slice(0, 3)) expect(await rolesOf(guild, person)).to.deep.equal([]);
  });

  it('A resync does not ask again when no one would lose roles by the new rules', async () => {
    const { discord } = await world();
    const guild = await buildLosing(6, 3);
    await setSettings(guild, { massRemoval: { sharePercent: 10, people: 1 } });
    const { jobId } = await startHeld(guild);
    // Members come in id order.
    const [first, second, third] = guild.people
      .slice(0, 3)
      .sort((a, b) => Number(BigInt(a.chatUserId) - BigInt(b.chatUserId)));
    const match = new RegExp(`^DELETE .*/guilds/${guild.guildId}/members/${second?.chatUserId}/`);
    const letGo = discord.inject({ match, held: true });
    await confirm(guild, jobId);
    await eventually(async () => (await rolesOf(guild, first))?.length === 0, 'the first loss');
    const everybody = { condition: { type: 'verified' }, roleIds: [guild.memberRole] };
    expect((await guild.api.post(`${guild.path}/mappings`, everybody)).status).to.equal(201);
    // The rules are read every two seconds.
    clock.advance(2_000);
    letGo();
    await resyncIn(guild, jobId, 'completed');
    for (const person of [first, second, third]) expect(await rolesOf(guild, person)).to.deep.equal([guild.memberRole]);
  });

  // RESTR-12
  it('A confirmed resync leaves each member to be kicked to a sync of their own, which asks Roblox again', async () => {
    const { discord } = await world();
    const guild = await buildResyncGuild({ count: 4 });
    const denied = at(guild.people, 0);
    const { id, permissions } = discord.botRole(guild.guildId);
    discord.updateRole(guild.guildId, id, { permissions: permissions | PermissionFlagsBits.KickMembers });
    await eventually(async () => (await guild.api.get(guild.path)).body.botPermissions.includes('KickMembers'));
    const restrictions = { ...noRestrictions, action: 'kick' as const, deniedGameUserIds: [denied.gameUserId] };
    await setSettings(guild, { massRemoval: { sharePercent: 10, people: 1 }, restrictions });
    const { jobId } = await startHeld(guild);
    await confirm(guild, jobId);
    expect(await resyncIn(guild, jobId, 'completed')).to.include({ changed: 0, failed: 0, processed: 5 });
    const { present, owedSync: pendingSync } = await getMember(guild.guildId, denied.chatUserId);
    expect(!present || pendingSync?.trigger === 'resync').to.equal(true);
  });

  it('A resync that is unconfirmed for a day is cancelled', async () => {
    const guild = await buildLosing(3, 2);
    await setSettings(guild, { massRemoval: { sharePercent: 10, people: 1 } });
    const { jobId } = await startHeld(guild);
    await endUnconfirmed(new Date());
    expect(await Plans.count({ guildId: guild.guildId, open: true })).to.equal(1);
    await endUnconfirmed(new Date(Date.now() + 25 * 60 * 60_000));
    const job = await resyncIn(guild, jobId, 'cancelled');
    expect(job.error).to.include({ code: 'not_confirmed' });
    expect(await memberWrites(guild.guildId)).to.deep.equal([]);
  });
});
