import { expect } from 'chai';
import { readSettings, writeSettings } from '../../../src/core/settings/settings-service.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { type FailureReason, failureReason, failureWords } from '../../../src/features/verification/failure-words.js';
import { Verifications } from '../../../src/features/verification/verification-model.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { age, failRoblox, stored, writeAbout } from '../../features/verification/verification-setup.js';
import { api, signIn } from '../../support/api.js';
import { buildGuild, buildPerson, eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { alertOf, buildVisitor, submit, submitAndFollow, wordsOf } from './verify-pages-setup.js';

describe('Visits to /verify/:token', () => {
  it('The verification page sends visitors without a session to Discord first, and back', async () => {
    const { page } = await buildVisitor();
    const { status, headers } = await api().get(page);
    expect(status).to.be.oneOf([302, 303]);
    expect(headers.get('location')).to.equal(`/api/auth/login?returnTo=${encodeURIComponent(page)}`);
  });

  // DASH-20
  it('The verification page shows the words, the signed-in person, and a labelled field', async () => {
    const { me, page, person, session } = await buildVisitor();
    const { status, headers, body } = await me.get(page);
    expect(status).to.equal(200);
    expect(headers.get('content-type')).to.equal('text/html; charset=utf-8');
    expect(headers.get('cache-control')).to.equal('no-store');
    expect(body).to.include(`<p class="phrase">${session.phrase}</p>`);
    expect(wordsOf(body)).to.include(`You are signed in to Discord as ${person.username} .`);
    expect(wordsOf(body)).to.include('Link your Roblox account for Café <Owls & Co>');
    expect(body).to.match(/<label for="gameUsername">Your Roblox username<\/label>\s*<input id="gameUsername"/);
    expect(body).to.include('<html lang="en">').and.to.include('name="viewport"');
    expect(alertOf(body)).to.equal(null);
    expect(body).not.to.include('<script');
  });

  it('The verification page lets its own forms pass the Origin check of sign-in (Fetch standard: a referrer policy decides)', async () => {
    const { me, page } = await buildVisitor();
    const { headers } = await me.get(page);
    expect(headers.get('referrer-policy')).to.equal('same-origin');
    const forged = await me.post(page, 'action=retry', {
      'content-type': 'application/x-www-form-urlencoded',
      origin: 'https://evil.example',
    });
    expect(forged.status).to.equal(403);
  });

  // OBS-8
  it('The verification page reports that another bot hands out the roles while the server observes', async () => {
    const sentence = 'Another bot still gives out the roles in this server.';
    const visitor = await buildVisitor();
    expect(wordsOf((await visitor.me.get(visitor.page)).body)).not.to.include(sentence);
    const { _id: guildId } = visitor.guild;
    await writeSettings(guildId, { ...(await readSettings(guildId)), mode: 'observe' });
    expect(wordsOf((await visitor.me.get(visitor.page)).body)).to.include(sentence);
    await writeAbout(visitor);
    const done = await submitAndFollow(visitor, { action: 'complete', gameUsername: visitor.person.gameUsername });
    expect(wordsOf(done.body)).to.include('is now linked').and.to.include(sentence);
  });

  it('The verification page never shows another person’s verification', async () => {
    const visitor = await buildVisitor();
    const stranger = await signIn((await buildPerson()).chatUserId);
    const looked = await stranger.get(visitor.page);
    expect(looked.status).to.equal(404);
    expect(looked.body).not.to.include(visitor.session.phrase).and.not.to.include(visitor.person.username);
    const tried = await submit({ ...visitor, me: stranger }, { action: 'retry' });
    expect(tried.status).to.equal(404);
    expect(await stored(visitor.token)).to.include({ phrase: visitor.session.phrase });
    const guild = await buildGuild();
    expect((await guild.api.get(visitor.page)).status).to.equal(403);
  });
});

describe('Proofs on /verify/:token', () => {
  it('The verification page links the account after “I’ve added it”, and names both accounts', async () => {
    const visitor = await buildVisitor();
    const { person, token } = visitor;
    await writeAbout(visitor);
    const { status, body } = await submitAndFollow(visitor, { action: 'complete', gameUsername: person.gameUsername });
    expect(status).to.equal(200);
    const said = `The Roblox account ${person.gameUsername} is now linked to the Discord account ${person.username}`;
    expect(wordsOf(body)).to.include(said);
    expect(body).not.to.include('<form');
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
    expect(await stored(token)).to.include({ state: 'completed' });
    const again = await submitAndFollow(visitor, { action: 'complete', gameUsername: person.gameUsername });
    expect(wordsOf(again.body)).to.include(said);
  });

  it('The verification page shows why a proof failed, keeps the username, and continues with new words', async () => {
    const visitor = await buildVisitor();
    const { person, session, token } = visitor;
    const failed = await submitAndFollow(visitor, { action: 'complete', gameUsername: person.gameUsername });
    expect(alertOf(failed.body)).to.equal(failureWords.code_not_found);
    expect(failed.body).not.to.include(session.phrase);
    expect(wordsOf(failed.body)).to.include('Try again');
    const retried = await submitAndFollow(visitor, { action: 'retry' });
    const { phrase } = await stored(token);
    expect(phrase).not.to.equal(session.phrase);
    expect(retried.body).to.include(`<p class="phrase">${phrase}</p>`).and.to.include(`value="${person.gameUsername}"`);
    expect(alertOf(retried.body)).to.equal(null);
  });

  it('The verification page has words for each reason of a failure', async () => {
    const visitor = await buildVisitor();
    const { me, page, token } = visitor;
    for (const reason of failureReason.options as FailureReason[]) {
      await Verifications.updateOne({ _id: hashSecret(token) }, { $set: { state: 'failed', reason } });
      expect(alertOf((await me.get(page)).body)).to.equal(failureWords[reason]);
    }
  });

  it('The verification page offers to start again when the verification’s time is over, and does', async () => {
    const visitor = await buildVisitor();
    const { me, page, token, person } = visitor;
    await age({ _id: hashSecret(token) }, 15 * 60_000);
    const expired = await me.get(page);
    expect(alertOf(expired.body)).to.equal(failureWords.expired);
    expect(wordsOf(expired.body)).to.include('Start over');
    const late = await submitAndFollow(visitor, { action: 'complete', gameUsername: person.gameUsername });
    expect(alertOf(late.body)).to.equal(failureWords.expired);
    expect(wordsOf((await submitAndFollow(visitor, { action: 'retry' })).body)).to.include("I've added it");
    expect(await stored(token)).to.include({ state: 'pending', attempts: 0 });
  });

  it('The verification page ends the verification after the fifth try', async () => {
    const visitor = await buildVisitor();
    const { person, token } = visitor;
    await Verifications.updateOne({ _id: hashSecret(token) }, { $set: { attempts: 4 } });
    const { body } = await submitAndFollow(visitor, { action: 'complete', gameUsername: person.gameUsername });
    expect(alertOf(body)).to.equal(`${failureWords.code_not_found} ${failureWords.too_many_attempts}`);
    expect(body).not.to.include('<form');
    const more = await submitAndFollow(visitor, { action: 'retry' });
    expect(more.body).not.to.include('<form');
  });

  it('The verification page asks for the username where none was written', async () => {
    const visitor = await buildVisitor();
    const { status, body } = await submit(visitor, { action: 'complete', gameUsername: ' ' });
    expect(status).to.equal(400);
    expect(alertOf(body)).to.equal('Enter your Roblox username first.');
    expect(body).to.include('<p class="phrase">');
    expect(await stored(visitor.token)).to.include({ state: 'pending', attempts: 0 });
    for (const fields of [{ action: 'complete' }, { action: 'win' }, { action: 'retry', method: 'sms' }, { a: 'b' }]) {
      const refused = await submit(visitor, fields as Record<string, string>);
      expect(refused.status).to.equal(400);
      expect(refused.headers.get('content-type')).to.match(/^text\/html/);
    }
  });

  it('The verification page shows that a proof is being checked', async () => {
    const visitor = await buildVisitor();
    const { roblox } = await world();
    const slow = roblox.inject({ match: /^POST users\.roblox\.com/, held: true, times: 1 });
    await writeAbout(visitor);
    const fields = { action: 'complete', gameUsername: visitor.person.gameUsername };
    const first = submit(visitor, fields);
    await eventually(async () => (await stored(visitor.token)).proof, 'the proof to begin');
    const second = await submitAndFollow(visitor, fields);
    expect(wordsOf(second.body)).to.include('We are checking your account right now.');
    expect(second.body).to.include(`href="${visitor.page}"`).and.not.to.include('<form');
    slow();
    expect((await first).status).to.equal(303);
    expect(await stored(visitor.token)).to.include({ state: 'completed', attempts: 1 });
  });

  it('The verification page reports that Roblox is down, and that the try did not count', async () => {
    const visitor = await buildVisitor();
    const restore = await failRoblox(/^GET apis\.roblox\.com\/cloud\/v2\/users/);
    const fields = { action: 'complete', gameUsername: visitor.person.gameUsername };
    const { status, headers, body } = await submit(visitor, fields).finally(restore);
    expect(status).to.equal(503);
    expect(Number(headers.get('retry-after'))).to.be.greaterThan(0);
    expect(alertOf(body)).to.equal(failureWords.game_platform_unavailable);
    expect(body).to.include('I&#39;ve added it');
    expect(await stored(visitor.token)).to.include({ attempts: 0 });
  });

  it('The verification page changes to the other method where the server allows both, and offers nothing else', async () => {
    const visitor = await buildVisitor();
    const shown = await visitor.me.get(visitor.page);
    expect(wordsOf(shown.body)).to.include('Sign in to Roblox instead');
    const switched = await submitAndFollow(visitor, { action: 'retry', method: 'oauth' });
    expect(wordsOf(switched.body)).to.include('Continue with Roblox');
    expect(wordsOf(switched.body)).to.include('Add words to my profile instead');
    expect(await stored(visitor.token)).to.include({ method: 'oauth', phrase: null });

    const alone = await buildVisitor({ settings: { methods: ['profile_code'] } });
    expect(wordsOf((await alone.me.get(alone.page)).body)).not.to.include('instead');
    const refused = await submit(alone, { action: 'retry', method: 'oauth' });
    expect(refused.status).to.equal(409);
    expect(refused.headers.get('content-type')).to.match(/^text\/html/);
  });
});
