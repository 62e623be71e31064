import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { leaveGuild, suspendGuild } from '../../../src/core/guilds/guild-service.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { Plans } from '../../../src/features/sync/plan/plan-model.js';
import { wakeOpenResyncs } from '../../../src/features/sync/resync/resync-job.js';
import { startReconciliations } from '../../../src/features/sync/resync/resync-schedule.js';
import { latestResync, startResync } from '../../../src/features/sync/resync/resync-service.js';
import { clock } from '../../../src/lib/clock.js';
import { isEvent } from '../../../src/platforms/events/outbox.js';
import { api } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildPerson, eventually, linkPerson, tokenFor } from '../../support/build.js';
import { platformAdminId, world } from '../../support/world.js';
import { enqueueNow } from '../sync/reconciliation-setup.js';
import { buildGroupGuild, buildSettledMember, mapTo, rankFrom, rolesOf } from '../sync/sync-setup.js';
import { type AdminApi, adminApi } from './admin-setup.js';

const nowhere = '199999999999999999';
const storedGuild = (guildId: string) => GuildRecord.findById(guildId).lean();

// API-74, API-76
describe('Suspending a guild', () => {
  withPromptSyncs();
  let admin: AdminApi;
  before(async () => {
    admin = await adminApi();
  });

  it('A suspension keeps its reason, shuts the API but for reading the guild, and ends by unsuspend', async () => {
    const { guildId, path, api: owner } = await buildGuild();
    const { status, body } = await admin.suspend(guildId, ' Spam ');
    expect(status).to.equal(200);
    expect(body).to.include({ guildId, state: 'suspended', present: true });
    expect(body.suspension).to.include({ reason: 'Spam', by: platformAdminId });
    const refused = await owner.get(`${path}/settings`);
    expect([refused.status, refused.body.code]).to.deep.equal([403, 'guild_suspended']);
    expect(refused.body.detail).to.contain('Spam');
    expect((await owner.get(path)).body.state).to.equal('suspended');

    const restored = await admin.unsuspend(guildId);
    expect([restored.status, restored.body.state, restored.body.suspension]).to.deep.equal([200, 'active', null]);
    expect(await storedGuild(guildId))
      .to.include({ state: 'active' })
      .and.not.have.property('suspension');
    expect((await owner.get(`${path}/settings`)).status).to.equal(200);
  });

  it('The API refuses to suspend or restore a guild twice, and one that does not exist', async () => {
    const { guildId } = await buildGuild();
    const answers = [
      await admin.unsuspend(guildId),
      await admin.suspend(guildId, 'First'),
      await admin.suspend(guildId, 'Second'),
      await admin.suspend(nowhere),
      await admin.unsuspend(nowhere),
    ];
    expect(answers.map(({ status, body }) => [status, body.code])).to.deep.equal([
      [409, 'not_suspended'],
      [200, undefined],
      [409, 'already_suspended'],
      [404, 'guild_not_found'],
      [404, 'guild_not_found'],
    ]);
    expect((await storedGuild(guildId))?.suspension?.reason).to.equal('First');
  });

  it('The API refuses a suspension without a reason, or with one over 500 characters', async () => {
    const { guildId } = await buildGuild();
    for (const body of [{}, { reason: '' }, { reason: '   ' }, { reason: 5 }, { reason: 'x'.repeat(501) }]) {
      const answer = await admin.post(`/api/admin/guilds/${guildId}/suspend`, body);
      expect([answer.status, answer.body.errors?.[0]?.path]).to.deep.equal([400, 'reason']);
    }
    expect(await storedGuild(guildId)).to.include({ state: 'active' });
  });

  it('Only platform admins suspend a guild: owners and platform tokens find no such route', async () => {
    const { guildId, api: owner } = await buildGuild();
    for (const caller of [owner, api(await tokenFor('*', 'owner'))]) {
      const answer = await caller.post(`/api/admin/guilds/${guildId}/suspend`, { reason: 'Mine' });
      expect([answer.status, answer.body.code]).to.deep.equal([404, 'not_found']);
    }
    expect(await storedGuild(guildId)).to.include({ state: 'active' });
  });

  it('A guild that four simultaneous requests suspend is suspended by one of them', async () => {
    const { guildId } = await buildGuild();
    const answers = await Promise.all(['a', 'b', 'c', 'd'].map((reason) => admin.suspend(guildId, reason)));
    expect(answers.map(({ status }) => status).sort()).to.deep.equal([200, 409, 409, 409]);
    const told = (await latestEntries(guildId, 10)).filter(({ action }) => action === 'guild.suspended');
    expect(told).to.have.length(1);
  });

  it('The write that suspends a guild also stores the event for the webhooks', async () => {
    const { guildId } = await buildGuild();
    const { outbox = [], suspension } = await suspendGuild(guildId, 'Spam', platformAdminId);
    expect(outbox.filter(isEvent).map(({ event, data }) => ({ event, data }))).to.deep.equal([
      { event: 'guild.suspended', data: { reason: 'Spam', suspendedAt: suspension?.at.toISOString() } },
    ]);
  });

  it('A suspension and its end are in the log of the guild and in that of the platform', async () => {
    const { guildId } = await buildGuild();
    await admin.suspend(guildId, 'Spam');
    await admin.unsuspend(guildId, 'Appeal');
    for (const log of [guildId, 'platform']) {
      const entries = (await latestEntries(log, 50)).filter(({ target }) => target.id === guildId);
      const told = entries.filter(({ action }) => action === 'guild.suspended' || action === 'guild.unsuspended');
      expect(
        told.map(({ action, changes, actor }) => ({ action, reason: changes?.reason, by: actor.id })),
      ).to.deep.equal([
        { action: 'guild.unsuspended', reason: { from: 'Spam', to: 'Appeal' }, by: platformAdminId },
        { action: 'guild.suspended', reason: { from: null, to: 'Spam' }, by: platformAdminId },
      ]);
    }
  });

  it('A suspension also holds for a guild that the bot has left, even after it returns', async () => {
    const { discord } = await world();
    const { guildId } = await buildGuild();
    await leaveGuild(guildId);
    expect((await admin.suspend(guildId)).body).to.include({ state: 'suspended', present: false });
    discord.renameGuild(guildId, 'Returned');
    await eventually(async () => (await storedGuild(guildId))?.present === true, 'the return');
    expect(await storedGuild(guildId)).to.include({ state: 'suspended' });
  });
});

describe('A resync of a suspended guild', () => {
  withPromptSyncs();
  it('A suspension cancels a resync immediately, even one that waits for a platform or for an admin', async () => {
    const admin = await adminApi();
    for (const held of ['waiting', 'awaitingConfirmation'] as const) {
      const { guildId, guild } = await buildGuild();
      const { job } = await startResync(guild, systemActor('test'), { memberIds: [nowhere] });
      const since = new Date();
      const states = {
        waiting: { for: 'game_platform_unavailable', since, attempts: 1, until: new Date(Date.now() + 60_000) },
        awaitingConfirmation: { losing: 20, share: 0.5, since },
      };
      const which = { _id: job._id, guildId };
      await eventually(async () => (await Plans.findOne(which))?.open === undefined, 'its end');
      await Plans.update(which, { $set: { open: true, state: 'running', [held]: states[held] } });
      await admin.suspend(guildId);
      expect(await Plans.findOne(which)).to.deep.include({
        state: 'cancelled',
        error: { code: 'guild_suspended', message: 'The server was suspended.' },
      });
      const [ended] = (await latestEntries(guildId, 5)).filter(({ action }) => action === 'resync.cancelled');
      expect(ended?.actor).to.include({ kind: 'system', id: 'resync' });
    }
  });
});

describe('A guild that is restored', () => {
  withPromptSyncs();
  // API-77
  it('A restored guild is reconciled with joined members, pending syncs and changed ranks', async () => {
    const { discord, roblox } = await world();
    const admin = await adminApi();
    const guild = await buildGroupGuild();
    const { guildId } = guild;
    const [verified = ''] = await mapTo(guild, { type: 'verified' });
    const [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    const [ranked, leaver, joiner] = [
      await buildSettledMember(guild),
      await buildSettledMember(guild),
      await buildPerson(),
    ];
    await linkPerson(null, joiner);
    await admin.suspend(guildId);
    roblox.setRank(guild.groupId, ranked.gameUserId, 100);
    discord.join(guildId, joiner.chatUserId);
    const left = { guildId, chatUserId: leaver.chatUserId };
    await api(await tokenFor('*', 'owner')).delete(`/api/verification/unlink?chatUserId=${leaver.chatUserId}`);
    await eventually(async () => ((await Members.findOne(left))?.owedSync?.dueAt ?? 0) > new Date(Date.now() + 60_000));
    expect(await findMember(guildId, joiner.chatUserId)).to.equal(null);
    expect(await rolesOf(guild, leaver)).to.deep.equal([verified]);

    await admin.unsuspend(guildId);
    await eventually(async () => (await rolesOf(guild, joiner))?.includes(verified), 'the link of who joined');
    await eventually(async () => (await rolesOf(guild, ranked))?.includes(officer), 'the new rank');
    await eventually(async () => (await rolesOf(guild, leaver))?.length === 0, 'the sync that was owed');
    expect(await findMember(guildId, joiner.chatUserId)).to.include({ state: 'linked', present: true });
    expect((await latestResync(guildId))?.actor.id).to.equal('catch-up');
    await eventually(async () => (await storedGuild(guildId))?.catchUpSince === undefined, 'the end of it');
  });

  it('The reconciliation of a restored guild continues later when Discord does not answer', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const end = discord.inject({ match: new RegExp(`guilds/${guild.guildId}/members`), status: 503 });
    await enqueueNow(guild);
    await startReconciliations(new AbortController().signal);
    await eventually(async () => (await latestResync(guild.guildId))?.waiting, 'the wait');
    expect(await storedGuild(guild.guildId)).to.have.property('catchUpSince');
    end();
    const waiting = { guildId: guild.guildId, open: true as const };
    await Plans.update(waiting, { $set: { 'waiting.until': new Date(0) } });
    await wakeOpenResyncs(clock.now());
    await eventually(async () => (await storedGuild(guild.guildId))?.catchUpSince === undefined, 'the end of it');
  });

  it('A suspension ends the reconciliation of a restored guild before it begins', async () => {
    const { guildId } = await buildGuild();
    const admin = await adminApi();
    await GuildRecord.updateOne({ _id: guildId }, { $set: { catchUpSince: new Date() } });
    await admin.suspend(guildId);
    expect(await storedGuild(guildId)).not.to.have.property('catchUpSince');
  });
});
