import { expect } from 'chai';
import { type Actor, chatUser } from '../../../src/core/actors/actor.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { Verifications } from '../../../src/features/verification/verification-model.js';
import {
  completeByOAuth,
  completeByProfile,
  createVerification,
  readVerification,
  retryVerification,
} from '../../../src/features/verification/verification-service.js';
import { purgeVerifications } from '../../../src/features/verification/verification-store.js';
import { clock } from '../../../src/lib/clock.js';
import { RateLimited } from '../../../src/lib/errors.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { hourMs, minuteMs } from '../../../src/lib/time.js';
import { mendDueTimes } from '../../../src/platforms/database/due-times.js';
import { buildGuild, buildMember, buildPerson, eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { type Applicant, age, buildApplicant, consent, refusal, stored, writeAbout } from './verification-setup.js';

const prove = ({ token, person, actor }: Applicant) => completeByProfile(token, person.gameUsername, actor);

// VER-1, VER-3, VER-4
describe('States of a verification session', () => {
  // ID-2
  it('A verification session is stored by the hash of its token alone, and lives 15 minutes', async () => {
    const applicant = await buildApplicant();
    const { token, session } = applicant;
    expect(token).to.match(/^[\w-]{43}$/);
    const document = await stored(token);
    expect(document._id).to.equal(hashSecret(token));
    expect(JSON.stringify(document)).not.to.include(token);
    expect(session.expiresAt.getTime() - session.createdAt.getTime()).to.be.within(14.9 * minuteMs, 15 * minuteMs);
    expect(session).to.include({ state: 'pending', reason: null, attempts: 0, attemptsLeft: 5, authorizeUrl: null });
  });

  it('An expired verification session accepts no proof (410) until a retry makes it pending with new words', async () => {
    const applicant = await buildApplicant();
    const { token, actor, session } = applicant;
    await writeAbout(applicant);
    await age({ _id: hashSecret(token) }, 15 * minuteMs);
    expect(await readVerification(token, actor)).to.include({ state: 'expired', reason: 'expired', phrase: null });
    const refused = await refusal(prove(applicant));
    expect(refused).to.include({ kind: 'gone', code: 'session_expired' });
    expect(await stored(token)).to.include({ attempts: 0 });

    const retried = await retryVerification(token, undefined, actor);
    expect(retried.session).to.include({ state: 'pending', reason: null });
    expect(retried.session.phrase).not.to.equal(session.phrase);
    expect(retried.session.expiresAt.getTime()).to.be.greaterThan(Date.now() + 14.9 * minuteMs);
    const oldWords = await refusal(prove(applicant));
    expect(oldWords.details.reason).to.equal('code_not_found');
  });

  it('A verification session accepts a proof in its last moment', async () => {
    const applicant = await buildApplicant();
    await writeAbout(applicant);
    await age({ _id: hashSecret(applicant.token) }, 14.9 * minuteMs);
    expect((await prove(applicant)).session.state).to.equal('completed');
  });

  it('A failed verification session needs a retry before it takes another proof', async () => {
    const applicant = await buildApplicant();
    await refusal(prove(applicant));
    await writeAbout(applicant);
    expect(await refusal(prove(applicant))).to.include({ kind: 'conflict', code: 'retry_needed' });
    expect(await stored(applicant.token)).to.include({ attempts: 1 });
  });

  it('A completed verification session accepts neither proof nor retry, even after its time', async () => {
    const applicant = await buildApplicant();
    const { token, actor } = applicant;
    await writeAbout(applicant);
    await prove(applicant);
    for (const ms of [0, 60 * minuteMs]) {
      await age({ _id: hashSecret(token) }, ms);
      expect(await refusal(prove(applicant))).to.include({ kind: 'conflict', code: 'already_completed' });
      expect((await refusal(retryVerification(token, 'oauth', actor))).code).to.equal('already_completed');
      expect(await readVerification(token, actor)).to.include({ state: 'completed', attempts: 1 });
    }
  });

  it('A verification session accepts five proofs and no more', async () => {
    const applicant = await buildApplicant();
    const { token, actor, person } = applicant;
    for (let attempt = 1; attempt <= 5; attempt += 1) {
      if (attempt > 1) await retryVerification(token, undefined, actor);
      const failed = await refusal(prove(applicant));
      expect(failed.details.session).to.include({ attempts: attempt, attemptsLeft: 5 - attempt });
    }
    for (const call of [retryVerification(token, undefined, actor), prove(applicant)]) {
      const refused = await refusal(call);
      expect(refused).to.include({ kind: 'unprocessable', code: 'verification_failed' });
      expect(refused.details).to.deep.include({ reason: 'too_many_attempts' });
    }
    expect(await stored(token)).to.include({ attempts: 5, state: 'failed', reason: 'code_not_found' });
    expect(await findAccount(person.chatUserId)).to.equal(null);
  });

  it('A verification session is kept for a day after its time and then removed', async () => {
    const applicant = await buildApplicant();
    const { token, actor } = applicant;
    await age({ _id: hashSecret(token) }, (24 * 60 + 14) * minuteMs);
    await purgeVerifications(clock.now());
    expect(await readVerification(token, actor)).to.include({ chatUserId: actor.id });
    await age({ _id: hashSecret(token) }, minuteMs);
    await purgeVerifications(clock.now());
    expect((await refusal(readVerification(token, actor))).code).to.equal('session_not_found');
  });
});

describe('Proofs that race or die', () => {
  it('A verification session goes to exactly one of several racing proofs', async () => {
    for (let round = 0; round < 5; round += 1) {
      const applicant = await buildApplicant();
      await writeAbout(applicant);
      const outcomes = await Promise.allSettled([prove(applicant), prove(applicant), prove(applicant)]);
      const codes = outcomes.map((outcome) => (outcome.status === 'fulfilled' ? 'won' : outcome.reason.code));
      expect(codes.filter((code) => code === 'won')).to.have.length(1);
      expect(['won', 'already_completed', 'proof_in_progress']).to.include.members(codes);
      expect(await stored(applicant.token)).to.include({ state: 'completed', attempts: 1 });
    }
  });

  it('A verification session redeems a code once when its two answers race', async () => {
    const applicant = await buildApplicant({ method: 'oauth' });
    const { roblox } = await world();
    const answer = await consent(applicant);
    roblox.forgetRequests();
    const both = [1, 2].map(() => completeByOAuth(applicant.token, answer, applicant.actor));
    const outcomes = await Promise.allSettled(both);
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(1);
    const redeemed = roblox.requests.filter(({ path }) => path === '/oauth/v1/token');
    expect(redeemed).to.have.length(1);
    expect(await findAccount(applicant.person.chatUserId)).to.include({ gameUserId: applicant.person.gameUserId });
  });

  it('A verification session is not changed by a retry while a proof is being checked', async () => {
    const applicant = await buildApplicant();
    const { token, actor, session } = applicant;
    await writeAbout(applicant);
    const { roblox } = await world();
    const slow = roblox.inject({ match: /^POST users\.roblox\.com/, held: true, times: 1 });
    const proof = prove(applicant);
    await eventually(async () => (await stored(token)).proof, 'the proof to begin');
    expect(await readVerification(token, actor)).to.include({ proofInProgress: true, attempts: 1, state: 'pending' });
    const refused = await refusal(retryVerification(token, undefined, actor));
    expect(refused).to.include({ kind: 'conflict', code: 'proof_in_progress' });
    expect((await refusal(prove(applicant))).code).to.equal('proof_in_progress');
    expect(await stored(token)).to.include({ phrase: session.phrase });
    slow();
    expect((await proof).session).to.include({ state: 'completed', attempts: 1 });
  });

  // VER-7
  it('A verification session is free again a minute after the process that was looking died', async () => {
    const applicant = await buildApplicant();
    const { token, actor } = applicant;
    await writeAbout(applicant);
    // The state after a crash: the attempt is counted and the session claimed.
    const proof = { id: 'of a dead process', until: new Date(Date.now() + minuteMs) };
    await Verifications.updateOne({ _id: hashSecret(token) }, { $set: { proof, attempts: 1 } });
    expect((await refusal(prove(applicant))).code).to.equal('proof_in_progress');
    await age({ _id: hashSecret(token) }, minuteMs);
    expect(await readVerification(token, actor)).to.include({ proofInProgress: false, attempts: 1 });
    expect((await prove(applicant)).session).to.include({ state: 'completed', attempts: 2 });
  });

  // SYNC-41
  it('A proof that died while the clock was ahead frees its verification session after the clock was set back', async () => {
    const applicant = await buildApplicant();
    await writeAbout(applicant);
    const proof = { id: 'of a dead process', until: new Date(clock.epochMs() + 2 * hourMs) };
    await Verifications.updateOne({ _id: hashSecret(applicant.token) }, { $set: { proof, attempts: 1 } });
    await mendDueTimes();
    expect((await prove(applicant)).session).to.include({ state: 'completed', attempts: 2 });
  });

  // VER-7
  it('A verification session can be proved again when the process died between the link and the end', async () => {
    const applicant = await buildApplicant();
    const { token, actor, person } = applicant;
    await writeAbout(applicant);
    await prove(applicant);
    const unfinished = { state: 'pending', game: null, proof: { id: 'dead', until: new Date() } };
    await Verifications.updateOne({ _id: hashSecret(token) }, { $set: unfinished });
    const { session, account } = await completeByProfile(token, undefined, actor);
    expect(session).to.include({ state: 'completed' });
    expect(account).to.include({ _id: person.chatUserId, gameUserId: person.gameUserId });
  });

  it('A late proof of an expired session does not overrule the newer one', async () => {
    const applicant = await buildApplicant();
    const { token, actor } = applicant;
    const { roblox } = await world();
    const slow = roblox.hold({ match: /^POST users\.roblox\.com/ });
    const late = refusal(prove(applicant));
    await slow.reached;
    await age({ _id: hashSecret(token) }, minuteMs);
    await writeAbout(applicant);
    expect((await prove(applicant)).session.state).to.equal('completed');
    slow.letGo();
    expect((await late).code).to.equal('already_completed');
    expect(await readVerification(token, actor)).to.include({ state: 'completed', reason: null });
  });
});

// VER-5
describe('Sessions that are begun', () => {
  it('A person begins ten sessions an hour in all guilds, also simultaneously', async () => {
    const { chatUserId, username } = await buildPerson();
    const actor = { kind: 'user', id: chatUserId, name: username, role: null, platformAdmin: false } as const;
    const begin = () => createVerification({ guildId: null, method: 'profile_code', chatUserId }, actor);
    const outcomes = await Promise.allSettled(Array.from({ length: 12 }, begin));
    expect(outcomes.filter(({ status }) => status === 'fulfilled')).to.have.length(10);
    expect(await Verifications.countDocuments({ chatUserId })).to.equal(10);
    const refused = await refusal(begin());
    expect(refused).to.be.instanceOf(RateLimited);
    expect(refused.details.retryAfterSeconds).to.be.within(3_500, 3_600);
    await age({ chatUserId }, 60 * minuteMs);
    expect((await begin()).session.state).to.equal('pending');
  });

  it('A guild’s tokens begin ten sessions an hour for a person, apart from the person and other guilds', async () => {
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const person = await buildMember(guild, { linked: false });
    await buildMember(other, { linked: false, person });
    const { chatUserId, username } = person;
    const token = (tokenGuildId: string): Actor => ({
      ...{ kind: 'bot_token', id: `tok_${tokenGuildId}`, name: 'bot', role: 'manager', platformAdmin: false },
      tokenGuildId,
    });
    const begin = (actor: Actor, guildId: string | null = null) =>
      createVerification({ guildId, method: 'profile_code', chatUserId }, actor);
    for (let times = 0; times < 10; times += 1) await begin(token(guild.guildId));
    expect(await refusal(begin(token(guild.guildId)))).to.be.instanceOf(RateLimited);
    expect((await begin(token(other.guildId))).session.state).to.equal('pending');
    expect((await begin(token('*'))).session.state).to.equal('pending');
    const themselves = chatUser(chatUserId, username);
    for (let times = 0; times < 10; times += 1) await begin(themselves, guild.guildId);
    expect(await refusal(begin(themselves))).to.be.instanceOf(RateLimited);
  });
});
