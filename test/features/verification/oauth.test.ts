import { expect } from 'chai';
import { stub } from 'sinon';
import { config } from '../../../src/config/config.js';
import { chatUser } from '../../../src/core/actors/actor.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { findReturningToken } from '../../../src/features/verification/verification-access.js';
import {
  completeByOAuth,
  completeByProfile,
  createVerification,
  readVerification,
  retryVerification,
} from '../../../src/features/verification/verification-service.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { buildPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildApplicant, consent, failRoblox, refusal, stored } from './verification-setup.js';

const oauthApplicant = (settings = {}) => buildApplicant({ method: 'oauth', settings });

describe('Verification by OAuth', () => {
  it('OAuth links the account that consented', async () => {
    const applicant = await oauthApplicant();
    const { token, actor, person, session } = applicant;
    const { url } = await world();
    const asked = new URL(session.authorizeUrl ?? '').searchParams;
    expect(asked.get('redirect_uri')).to.equal(`${url}/verify/callback`);
    expect(asked.get('code_challenge_method')).to.equal('S256');
    const { code, state } = await consent(applicant);

    const { session: after, account } = await completeByOAuth(token, { code, state }, actor);

    expect(after).to.include({ state: 'completed', reason: null, authorizeUrl: null, attempts: 1 });
    expect(account).to.include({ gameUserId: person.gameUserId, method: 'oauth' });
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
    expect(await stored(token)).to.include({ state: 'completed', proof: null });
  });

  it('The database alone gives away neither token nor state, verifier or nonce of a sign-in', async () => {
    const applicant = await oauthApplicant();
    const { state } = await consent(applicant);
    const document = JSON.stringify(await stored(applicant.token));
    const { searchParams } = new URL(applicant.session.authorizeUrl ?? '');
    for (const secret of [applicant.token, state, searchParams.get('nonce'), searchParams.get('code_challenge')]) {
      expect(document).not.to.include(secret);
    }
  });

  it('OAuth fails with oauth_denied when the person declines', async () => {
    const applicant = await oauthApplicant();
    const { back, state } = await consent(applicant, false);
    const error = back.searchParams.get('error') ?? '';
    const refused = await refusal(completeByOAuth(applicant.token, { error, state }, applicant.actor));
    expect(refused.details.reason).to.equal('oauth_denied');
    expect(await stored(applicant.token)).to.include({ state: 'failed', reason: 'oauth_denied', attempts: 1 });
  });

  it('OAuth fails with oauth_invalid for an invented code, and for the state of another session', async () => {
    const applicant = await oauthApplicant();
    const { token, actor } = applicant;
    const { state } = await consent(applicant);
    const invented = await refusal(completeByOAuth(token, { code: 'made-up', state }, actor));
    expect(invented.details.reason).to.equal('oauth_invalid');
    const { session } = await retryVerification(token, undefined, actor);

    const other = await oauthApplicant();
    const theirs = await consent({ session: other.session, person: applicant.person });
    const mixed = await refusal(completeByOAuth(token, { code: theirs.code, state: theirs.state }, actor));
    expect(mixed.details.reason).to.equal('oauth_invalid');
    const swapped = await retryVerification(token, undefined, actor);
    const mine = await consent({ ...applicant, ...swapped });
    const foreignCode = await refusal(completeByOAuth(token, { code: theirs.code, state: mine.state }, actor));
    expect(foreignCode.details.reason).to.equal('oauth_invalid');
    expect(session.authorizeUrl).not.to.equal(swapped.session.authorizeUrl);
    expect(await findAccount(applicant.person.chatUserId)).to.equal(null);
    expect(await stored(token)).to.include({ attempts: 3 });
  });

  it('OAuth accepts no answer to a sign-in that a retry has replaced', async () => {
    const applicant = await oauthApplicant();
    const { token, actor } = applicant;
    const old = await consent(applicant);
    await retryVerification(token, undefined, actor);
    const refused = await refusal(completeByOAuth(token, { code: old.code, state: old.state }, actor));
    expect(refused.details.reason).to.equal('oauth_invalid');
    expect((await refusal(findReturningToken(old.state, actor))).code).to.equal('session_not_found');
  });

  it('An OAuth session stays pending, uncounted, while Roblox’s token endpoint is down', async () => {
    const applicant = await oauthApplicant();
    const { token, actor } = applicant;
    const { code, state } = await consent(applicant);
    const restore = await failRoblox(/^POST apis\.roblox\.com\/oauth\/v1\/token/);
    const refused = await refusal(completeByOAuth(token, { code, state }, actor)).finally(restore);
    const unavailable = { kind: 'unavailable', code: 'game_platform_unavailable' };
    expect(refused).to.include(unavailable);
    expect(await stored(token)).to.include({ state: 'pending', attempts: 0, proof: null });
    const late = { error: 'temporarily_unavailable', state: (await consent(applicant)).state };
    expect(await refusal(completeByOAuth(token, late, actor))).to.include(unavailable);
    expect(await stored(token)).to.include({ state: 'pending', attempts: 0 });
    const { session } = await completeByOAuth(token, await consent(applicant), actor);
    expect(session.state).to.equal('completed');
  });

  it('OAuth refuses an account that is too new or banned', async () => {
    const { roblox } = await world();
    const young = await oauthApplicant({ minimumAccountAgeDays: 3650 });
    const tooNew = await refusal(completeByOAuth(young.token, await consent(young), young.actor));
    expect(tooNew.details.reason).to.equal('account_too_new');
    const banned = await oauthApplicant();
    const answer = await consent(banned);
    roblox.setBanned(banned.person.gameUserId, true);
    const refused = await refusal(completeByOAuth(banned.token, answer, banned.actor));
    expect(refused.details.reason).to.equal('game_account_not_found');
    expect(await findAccount(banned.person.chatUserId)).to.equal(null);
  });

  it('OAuth takes a redeemed code up again when something else went wrong after it', async () => {
    const applicant = await oauthApplicant();
    const { token, actor, person } = applicant;
    const answer = await consent(applicant);
    const database = stub(Accounts, 'updateOne').throws(new Error('the database is gone'));
    const cut = await completeByOAuth(token, answer, actor).catch((error: Error) => error.message);
    database.restore();
    expect(cut).to.equal('the database is gone');
    expect(await stored(token)).to.include({ state: 'pending', attempts: 0, proof: null });
    const { session, account } = await completeByOAuth(token, answer, actor);
    expect(session.state).to.equal('completed');
    expect(account?.gameUserId).to.equal(person.gameUserId);
  });

  it('OAuth links the account of a second sign-in when Roblox did not show the account of the first', async () => {
    const applicant = await oauthApplicant();
    const { token, actor, person } = applicant;
    const restore = await failRoblox(/users\.roblox|\/cloud\/v2\/users|\/v1\/users/);
    const first = await refusal(completeByOAuth(token, await consent(applicant), actor)).finally(restore);
    expect(first.code).to.equal('game_platform_unavailable');
    const { gameUserId } = await buildPerson();
    const second = await consent({ ...applicant, person: { ...person, gameUserId } });
    const { account } = await completeByOAuth(token, second, actor);
    expect(account?.gameUserId).to.equal(gameUserId);
  });
});

describe('Changes of method with OAuth', () => {
  it('A verification session accepts no proof of the other method', async () => {
    const oauth = await oauthApplicant();
    const byProfile = await refusal(completeByProfile(oauth.token, 'someone', oauth.actor));
    expect(byProfile.details.issues).to.deep.include({
      path: 'code',
      message: 'is required: this session is verified by signing in on Roblox',
    });
    const words = await buildApplicant();
    const byOAuth = await refusal(completeByOAuth(words.token, { code: 'x', state: 'y' }, words.actor));
    expect(byOAuth.code).to.equal('invalid_request');
    expect(await stored(words.token)).to.include({ state: 'pending', attempts: 0 });
  });

  it('A retry changes an OAuth session to the other method and back', async () => {
    const applicant = await oauthApplicant();
    const { token, actor } = applicant;
    const words = await retryVerification(token, 'profile_code', actor);
    expect(words.session).to.include({ method: 'profile_code', authorizeUrl: null, state: 'pending' });
    expect(words.session.phrase).to.match(/^Rolelink (\w+ ){5}\w+$/);
    expect(await stored(token)).to.include({ oauth: null });
    const back = await retryVerification(token, 'oauth', actor);
    expect(back.session).to.include({ method: 'oauth', phrase: null });
    expect(await readVerification(token, actor)).to.deep.include({ authorizeUrl: back.session.authorizeUrl });
  });

  it('The OAuth callback returns the session’s token only to the session’s person', async () => {
    const applicant = await oauthApplicant();
    const { state } = await consent(applicant);
    expect(await findReturningToken(state, applicant.actor)).to.equal(applicant.token);
    const stranger = chatUser((await buildPerson()).chatUserId, 'stranger');
    expect((await refusal(findReturningToken(state, stranger))).code).to.equal('session_not_found');
    expect((await refusal(findReturningToken('unknown', applicant.actor))).code).to.equal('session_not_found');
  });

  it('OAuth is refused as oauth_not_configured where no OAuth app is set up', async () => {
    const { guildId, person, actor } = await buildApplicant();
    const { oauth: _, ...without } = config().roblox;
    configureRoblox(without);
    const wish = { guildId, method: 'oauth', chatUserId: person.chatUserId } as const;
    const refused = await refusal(createVerification(wish, actor)).finally(() => configureRoblox(config().roblox));
    expect(refused).to.include({ kind: 'unavailable', code: 'oauth_not_configured' });
  });
});
