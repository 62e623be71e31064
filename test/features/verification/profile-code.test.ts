import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import {
  completeByProfile,
  readVerification,
  retryVerification,
} from '../../../src/features/verification/verification-service.js';
import { buildGuild, buildPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import { buildApplicant, failRoblox, refusal, stored, writeAbout } from './verification-setup.js';

// VER-23
describe('Verification by words in the profile', () => {
  it('A verification links the account with the words in its About text, and syncs the member', async () => {
    const applicant = await buildApplicant();
    const { guildId, token, actor, person, session } = applicant;
    await writeAbout(applicant, `Hello!\n${session.phrase?.toUpperCase().replaceAll(' ', ',\n')}\nbye`);

    const { session: after, account, sync } = await completeByProfile(token, person.gameUsername, actor);

    expect(after).to.include({ state: 'completed', reason: null, phrase: null, attempts: 1, proofInProgress: false });
    expect(after.game).to.deep.include({ gameUserId: person.gameUserId, gameUsername: person.gameUsername });
    expect(account).to.include({ _id: person.chatUserId, gameUserId: person.gameUserId, method: 'profile_code' });
    // The nickname comes from this sync, or from the link's pending one, whichever ran first.
    expect(sync).to.deep.include({ added: [], removed: [] });
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
    expect(await findMember(guildId, person.chatUserId)).to.include({ state: 'linked', gameUserId: person.gameUserId });
    expect(await stored(token)).to.include({ state: 'completed', attempts: 1, proof: null });
    const { discord } = await world();
    expect(discord.member(guildId, person.chatUserId)?.nickname).to.equal(person.gameUsername);
    const entries = await latestEntries(guildId, 10);
    const entry = entries.find(({ action }) => action === 'verification.completed');
    expect(entry).to.deep.include({ target: { kind: 'member', id: person.chatUserId, name: person.username } });
    expect(entry?.actor).to.include({ kind: 'user', id: person.chatUserId });
    expect(entry?.changes?.gameUserId).to.deep.equal({ from: null, to: person.gameUserId });
  });

  it('A verification accepts the username as people write it, and a former one', async () => {
    const { roblox } = await world();
    const applicant = await buildApplicant();
    const { token, actor, person } = applicant;
    await writeAbout(applicant);
    roblox.renameUser(person.gameUserId, `${person.gameUsername}New`);
    const { account } = await completeByProfile(token, `  @${person.gameUsername.toUpperCase()} `, actor);
    expect(account).to.include({ gameUserId: person.gameUserId, gameUsername: `${person.gameUsername}New` });
  });

  // VER-6
  it('A verification stays pending while Roblox is down, without counting the attempt', async () => {
    const applicant = await buildApplicant();
    const { token, actor, person } = applicant;
    await writeAbout(applicant);
    const restore = await failRoblox(/^GET apis\.roblox\.com\/cloud\/v2\/users\//);
    const refused = await refusal(completeByProfile(token, person.gameUsername, actor)).finally(restore);
    expect(refused).to.include({ kind: 'unavailable', code: 'game_platform_unavailable' });
    expect(await stored(token)).to.include({ state: 'pending', reason: null, attempts: 0, proof: null });
    const { session: after } = await completeByProfile(token, undefined, actor);
    expect(after).to.include({ state: 'completed', attempts: 1 });
  });

  it('A verification reads the profile again, past the cache', async () => {
    const applicant = await buildApplicant();
    const { token, actor, person } = applicant;
    await refusal(completeByProfile(token, person.gameUsername, actor));
    const { session } = await retryVerification(token, undefined, actor);
    await writeAbout({ person, session });
    expect((await completeByProfile(token, undefined, actor)).session.state).to.equal('completed');
  });

  it('A verification keeps the username for retries, and asks for one that was never given', async () => {
    const applicant = await buildApplicant();
    const { token, actor, person } = applicant;
    for (const missing of [undefined, '', '  ', '@']) {
      const refused = await refusal(completeByProfile(token, missing, actor));
      expect(refused.code).to.equal('invalid_request');
    }
    expect(await stored(token)).to.include({ state: 'pending', attempts: 0 });
    await refusal(completeByProfile(token, person.gameUsername, actor));
    expect(await readVerification(token, actor)).to.include({ gameUsername: person.gameUsername });
  });

  it('A verification stores the link although Discord is down, and leaves the sync pending', async () => {
    const applicant = await buildApplicant();
    const { guildId, token, actor, person } = applicant;
    await writeAbout(applicant);
    const { discord } = await world();
    const restore = discord.inject({ match: /^GET discord\.com\/api\/v10\/guilds\/\d+\/members\//, status: 500 });
    const { session, sync } = await completeByProfile(token, person.gameUsername, actor).finally(restore);
    expect({ state: session.state, sync }).to.deep.equal({ state: 'completed', sync: null });
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
    const member = await findMember(guildId, person.chatUserId);
    expect(member).to.include({ state: 'linked', gameUserId: person.gameUserId });
    expect(member?.owedSync).to.include({ trigger: 'verification' });
  });

  it('A verification stores the link of a person outside the server', async () => {
    const applicant = await buildApplicant();
    const { guildId, token, actor, person } = applicant;
    await writeAbout(applicant);
    const { discord } = await world();
    discord.leave(guildId, person.chatUserId);
    const { session, sync } = await completeByProfile(token, person.gameUsername, actor);
    expect({ state: session.state, sync }).to.deep.equal({ state: 'completed', sync: null });
    expect(await findAccount(person.chatUserId)).to.include({ gameUserId: person.gameUserId });
  });
});

describe('Refused words in the profile', () => {
  it('A verification fails with code_not_found when the words are not there, and counts the attempt', async () => {
    const applicant = await buildApplicant();
    const { guildId, token, actor, person } = applicant;
    await writeAbout(applicant, 'maple otter');
    const failed = await refusal(completeByProfile(token, person.gameUsername, actor));
    expect(failed).to.include({ kind: 'unprocessable', code: 'verification_failed' });
    expect(failed.details).to.deep.include({ reason: 'code_not_found' });
    expect(failed.details.session).to.include({ token, state: 'failed', attempts: 1, attemptsLeft: 4, phrase: null });
    expect(await stored(token)).to.include({ state: 'failed', reason: 'code_not_found', attempts: 1, proof: null });
    expect(await findAccount(person.chatUserId)).to.equal(null);
    const [entry] = await latestEntries(guildId, 1);
    expect(entry).to.include({ action: 'verification.failed' });
    expect(entry?.changes).to.deep.include({
      reason: { from: null, to: 'code_not_found' },
      attempt: { from: 0, to: 1 },
    });
  });

  it('A verification does not take the words of another session of the same person', async () => {
    const first = await buildApplicant();
    const second = await buildApplicant({ person: first.person });
    await writeAbout({ person: first.person, session: second.session });
    const failed = await refusal(completeByProfile(first.token, first.person.gameUsername, first.actor));
    expect(failed.details.reason).to.equal('code_not_found');
  });

  it('A verification fails with game_account_not_found for an unknown name, and for a banned account', async () => {
    const { roblox } = await world();
    const unknown = await buildApplicant();
    const noSuchName = await refusal(completeByProfile(unknown.token, 'nobody_is_called_so', unknown.actor));
    expect(noSuchName.details.reason).to.equal('game_account_not_found');

    const banned = await buildApplicant();
    await writeAbout(banned);
    roblox.setBanned(banned.person.gameUserId, true);
    const refused = await refusal(completeByProfile(banned.token, banned.person.gameUsername, banned.actor));
    expect(refused.details.reason).to.equal('game_account_not_found');
    expect(await findAccount(banned.person.chatUserId)).to.equal(null);
  });

  it('A verification fails with account_too_new below the guild’s minimum age, and not above', async () => {
    const dayMs = 86_400_000;
    const guild = await buildGuild();
    const settings = { minimumAccountAgeDays: 30 };
    const young = await buildPerson({ createdAt: new Date(Date.now() - 30 * dayMs + 60_000) });
    const old = await buildPerson({ createdAt: new Date(Date.now() - 30 * dayMs - 60_000) });
    const tooNew = await buildApplicant({ guild, settings, person: young });
    await writeAbout(tooNew);
    const refused = await refusal(completeByProfile(tooNew.token, young.gameUsername, tooNew.actor));
    expect(refused.details.reason).to.equal('account_too_new');
    expect(await findAccount(young.chatUserId)).to.equal(null);
    const oldEnough = await buildApplicant({ guild, person: old });
    await writeAbout(oldEnough);
    await completeByProfile(oldEnough.token, old.gameUsername, oldEnough.actor);
    expect(await findAccount(old.chatUserId)).to.include({ gameUserId: old.gameUserId });
  });

  // ID-14
  it('A verification is completed by its person alone', async () => {
    const applicant = await buildApplicant();
    await writeAbout(applicant);
    const stranger = chatUser((await buildPerson()).chatUserId, 'stranger');
    const refused = await refusal(completeByProfile(applicant.token, applicant.person.gameUsername, stranger));
    expect(refused).to.include({ kind: 'not_found', code: 'session_not_found' });
    expect(await stored(applicant.token)).to.include({ state: 'pending', attempts: 0 });
  });
});
