import { expect } from 'chai';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { Verifications } from '../../../src/features/verification/verification-model.js';
import { type ApiAnswer, api, signIn } from '../../support/api.js';
import { buildGuild, buildMember, buildPerson, linkPerson, tokenFor } from '../../support/build.js';
import { world } from '../../support/world.js';

const sessionPath = '/api/verification/session';
const unlinkPath = '/api/verification/unlink';
const method = 'profile_code';

const outcome = ({ status, body }: ApiAnswer) => `${status} ${body.code}`;

describe('Access to verification', () => {
  it('The verification API requires credentials', async () => {
    const nobody = api();
    for (const [verb, path] of [
      ['POST', sessionPath],
      ['GET', `${sessionPath}/x`],
      ['POST', '/api/verification/complete'],
      ['POST', '/api/verification/retry'],
      ['DELETE', unlinkPath],
    ] as const) {
      expect(outcome(await nobody.request(verb, path))).to.equal('401 unauthenticated');
    }
  });

  // VER-9
  it('People verify themselves, in guilds that the bot is in and they are members of', async () => {
    const guild = await buildGuild();
    const { guildId } = guild;
    const outsider = await buildPerson();
    const me = await signIn(outsider.chatUserId);
    expect(outcome(await me.post(sessionPath, { method, guildId }))).to.equal('404 guild_not_found');
    const noGuild = await me.post(sessionPath, { method, guildId: '123456789012345678' });
    expect(outcome(noGuild)).to.equal('404 guild_not_found');
    const somebodyElse = await me.post(sessionPath, { method, chatUserId: guild.ownerId });
    expect(outcome(somebodyElse)).to.equal('403 forbidden');
    expect(await Verifications.countDocuments({ chatUserId: outsider.chatUserId })).to.equal(0);
    const { discord } = await world();
    discord.join(guildId, outsider.chatUserId);
    const { chatUserId } = outsider;
    const joined = await me.post(sessionPath, { method, guildId, chatUserId });
    expect(joined.status).to.equal(201);
    discord.removeBot(guildId);
    await GuildRecord.updateOne({ _id: guildId }, { $set: { present: false } });
    expect(outcome(await me.post(sessionPath, { method, guildId }))).to.equal('404 guild_not_found');
    const { token } = joined.body;
    expect(outcome(await me.post('/api/verification/retry', { token }))).to.equal('404 guild_not_found');
  });

  it('A session begun by cookie without our Origin is refused', async () => {
    const { chatUserId } = await buildPerson();
    const me = await signIn(chatUserId);
    const forged = await me.post(sessionPath, { method }, { origin: 'https://evil.example' });
    expect(outcome(forged)).to.equal('403 origin_mismatch');
    expect(await Verifications.countDocuments({ chatUserId })).to.equal(0);
  });

  it('A bot verifies members of its own guild, and is at least manager', async () => {
    const guild = await buildGuild();
    const other = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    const stranger = await buildPerson();
    const viewer = api(await tokenFor(guild.guildId, 'viewer'));
    expect(outcome(await viewer.post(sessionPath, { method, chatUserId }))).to.equal('403 forbidden');
    const foreign = await guild.api.post(sessionPath, { method, chatUserId, guildId: other.guildId });
    expect(outcome(foreign)).to.equal('404 guild_not_found');
    const notMember = await guild.api.post(sessionPath, { method, chatUserId: stranger.chatUserId });
    expect(outcome(notMember)).to.equal('404 member_not_found');

    const { body: session } = await guild.api.post(sessionPath, { method, chatUserId });
    const { token } = session;
    expect((await viewer.get(`${sessionPath}/${token}`)).status).to.equal(200);
    for (const path of ['/api/verification/complete', '/api/verification/retry']) {
      expect(outcome(await viewer.post(path, { token }))).to.equal('403 forbidden');
    }
  });

  it('A suspended guild verifies no one', async () => {
    const guild = await buildGuild();
    const { guildId } = guild;
    const { chatUserId } = await buildMember(guild, { linked: false });
    const me = await signIn(chatUserId);
    const { body: session } = await me.post(sessionPath, { method, guildId });
    const suspension = { reason: 'spam', at: new Date(), by: 'test' };
    await GuildRecord.updateOne({ _id: guildId }, { $set: { state: 'suspended', suspension } });
    const { token } = session;
    for (const answer of [
      await me.post(sessionPath, { method, guildId }),
      await guild.api.post(sessionPath, { method, chatUserId }),
      await me.post('/api/verification/complete', { token, gameUsername: 'x' }),
      await me.post('/api/verification/retry', { token }),
    ]) {
      expect(outcome(answer)).to.equal('403 guild_suspended');
    }
  });
});

// API-67, ID-6
describe('Unlinking by a person', () => {
  it('A person is unlinked in every guild by removing their own account', async () => {
    const [one, two] = [await buildGuild(), await buildGuild()];
    const person = await buildMember(one);
    await buildMember(two, { person });
    const { chatUserId } = person;
    const me = await signIn(chatUserId);
    expect((await me.delete(unlinkPath)).status).to.equal(204);
    expect(await findAccount(chatUserId)).to.equal(null);
    for (const { guildId } of [one, two]) {
      expect(await findMember(guildId, chatUserId)).to.include({ state: 'unlinked' });
    }
    expect(outcome(await me.delete(unlinkPath))).to.equal('404 not_linked');
  });

  // ID-14
  it('Only the person and the platform’s bot, which names the person, remove an account', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild);
    const stranger = await buildPerson();
    await linkPerson(null, stranger);
    const path = `${unlinkPath}?chatUserId=${chatUserId}`;
    const them = await signIn(stranger.chatUserId);
    expect(outcome(await them.delete(path))).to.equal('403 forbidden');
    expect(outcome(await guild.api.delete(path))).to.equal('403 forbidden');
    expect(outcome(await guild.api.delete(unlinkPath))).to.equal('403 forbidden');
    const platform = api(await tokenFor('*', 'manager'));
    const unnamed = await platform.delete(unlinkPath);
    expect(outcome(unnamed)).to.equal('400 invalid_request');
    expect(unnamed.body.errors).to.deep.equal([{ path: 'query.chatUserId', message: 'is required with a bot token' }]);
    expect(await findAccount(chatUserId)).not.to.equal(null);
    expect(await findAccount(stranger.chatUserId)).not.to.equal(null);

    expect((await platform.delete(path)).status).to.equal(204);
    expect(await findAccount(chatUserId)).to.equal(null);
    expect(await findMember(guild.guildId, chatUserId)).to.include({ state: 'unlinked' });
  });

  it('The platform’s token is at least manager to remove an account', async () => {
    const person = await buildPerson();
    await linkPerson(null, person);
    const viewer = api(await tokenFor('*', 'viewer'));
    const refused = await viewer.delete(`${unlinkPath}?chatUserId=${person.chatUserId}`);
    expect(outcome(refused)).to.equal('403 forbidden');
    expect(await findAccount(person.chatUserId)).not.to.equal(null);
  });
});
