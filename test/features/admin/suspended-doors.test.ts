import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { enterGuild } from '../../../src/core/access/guild-access.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { syncMember } from '../../../src/features/sync/member/member-sync.js';
import { completeByProfile } from '../../../src/features/verification/verification-service.js';
import { withLease } from '../../../src/platforms/database/lease.js';
import { privateAnswer, privateWords } from '../../commands/private-answer.js';
import { api, signIn } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildMember, eventually, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildGroupGuild, buildSettledMember, mapTo, memberWrites, refusal } from '../sync/sync-setup.js';
import { buildApplicant, stored, writeAbout } from '../verification/verification-setup.js';
import { type AdminApi, adminApi } from './admin-setup.js';

/** A guild's suspension while a person is halfway through verifying or connecting. */
// API-75
describe('A guild that is suspended during the request', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let roblox: World['roblox'];
  let admin: AdminApi;
  before(async () => {
    ({ discord, roblox } = await world());
    admin = await adminApi();
  });

  it('A suspension during the check of a proof links no one, and costs the person no attempt', async () => {
    const applicant = await buildApplicant();
    const { guildId, person, token, actor } = applicant;
    await writeAbout(applicant);
    const end = roblox.inject({ match: /users/, held: true });
    const proof = refusal(completeByProfile(token, person.gameUsername, actor));
    await eventually(async () => (await stored(token)).proof !== null, 'the proof');
    await admin.suspend(guildId);
    end();
    expect(await proof).to.include({ code: 'guild_suspended' });
    expect(await findAccount(person.chatUserId)).to.equal(null);
    expect(await stored(token)).to.include({ state: 'pending', attempts: 0, proof: null });
    await admin.unsuspend(guildId);
    await completeByProfile(token, person.gameUsername, actor);
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });

  it('A suspended guild syncs no member with a pending sync', async () => {
    const guild = await buildGroupGuild();
    await mapTo(guild, { type: 'verified' });
    const { chatUserId } = await buildSettledMember(guild);
    discord.setMemberRoles(guild.guildId, chatUserId, []);
    discord.forgetRequests();
    let sync: Promise<unknown> = Promise.resolve();
    await withLease(`sync:${guild.guildId}:${chatUserId}`, async () => {
      sync = refusal(syncMember(guild.guild, chatUserId, { trigger: 'api', actor: systemActor('test') }));
      await admin.suspend(guild.guildId);
    });
    expect(await sync).to.include({ code: 'guild_suspended' });
    await delay(500);
    expect(await memberWrites(guild)).to.deep.equal([]);
  });

  it('The last import of people is hidden while its guild is suspended, and cancelled by nobody', async () => {
    const guild = await buildGuild();
    await admin.suspend(guild.guildId);
    for (const ask of [guild.api.get, guild.api.delete]) {
      const { status, body } = await ask(`${guild.path}/people/import`);
      expect([status, body.code]).to.deep.equal([403, 'guild_suspended']);
    }
    await admin.unsuspend(guild.guildId);
    expect((await guild.api.get(`${guild.path}/people/import`)).status).to.equal(200);
  });

  it('A suspension leaves verification outside the guild open, and the guild’s people still see their session', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    const me = await signIn(chatUserId);
    const session = '/api/verification/session';
    const { token } = (await me.post(session, { method: 'profile_code', guildId: guild.guildId })).body;
    await admin.suspend(guild.guildId);
    expect((await me.get(`${session}/${token}`)).status).to.equal(200);
    for (const bot of [guild.api, api(await tokenFor('*', 'owner'))]) {
      expect((await bot.get(`${session}/${token}`)).body.code).to.equal('guild_suspended');
    }
    expect((await me.post(session, { method: 'profile_code' })).status).to.equal(201);
  });

  it('Buttons of messages that were posted before the suspension refuse presses, and open no form', async () => {
    const guild = await buildGuild();
    const person = await buildMember(guild, { linked: false });
    const offer = await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'verify'));
    await admin.suspend(guild.guildId, 'unpaid');
    const pressed = await discord.press(guild.guildId, person.chatUserId, offer, 'Use a profile code');
    expect(pressed.modal).to.equal(undefined);
    expect(await privateWords(pressed)).to.equal('This server is suspended: unpaid.');
  });

  // API-77
  it('A suspension shuts the guild in every process: its state is read each time', async () => {
    const guild = await buildGuild();
    const actor = { ...systemActor('test'), kind: 'user' as const, id: guild.ownerId };
    const enter = () => enterGuild(actor, guild.guildId, { least: 'viewer', whileSuspended: false });
    expect((await enter()).guild.state).to.equal('active');
    await admin.suspend(guild.guildId);
    expect(await refusal(enter())).to.include({ code: 'guild_suspended' });
    await admin.unsuspend(guild.guildId);
    expect((await enter()).guild.state).to.equal('active');
  });
});
