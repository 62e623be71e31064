import { expect } from 'chai';
import { chatUser } from '../../../src/core/actors/actor.js';
import { availableMethods, rulesOf } from '../../../src/features/verification/verification-rules.js';
import {
  completeByProfile,
  createVerification,
  retryVerification,
} from '../../../src/features/verification/verification-service.js';
import { buildGuild, buildPerson } from '../../support/build.js';
import { buildApplicant, refusal, setVerification, stored, writeAbout } from './verification-setup.js';

describe('Verification settings of a guild', () => {
  it('A guild offers every method by default, and so does verification without a guild', async () => {
    const { guildId } = await buildGuild();
    const all = ['oauth', 'discord_connection', 'profile_code'];
    expect(availableMethods(await rulesOf(guildId))).to.deep.equal(all);
    expect(availableMethods(await rulesOf(null))).to.deep.equal(all);
  });

  it('A method that the guild does not allow is refused, to begin and to change to', async () => {
    const { guildId, token, actor, person } = await buildApplicant({ settings: { methods: ['profile_code'] } });
    expect(availableMethods(await rulesOf(guildId))).to.deep.equal(['profile_code']);
    const { chatUserId } = person;
    const begun = await refusal(createVerification({ guildId, method: 'oauth', chatUserId }, actor));
    expect(begun).to.include({ kind: 'conflict', code: 'method_unavailable' });
    expect((await refusal(retryVerification(token, 'oauth', actor))).code).to.equal('method_unavailable');
    expect(await stored(token)).to.include({ method: 'profile_code', state: 'pending' });
  });

  it('A guild with verification off refuses everything, even proofs of sessions begun before', async () => {
    const applicant = await buildApplicant();
    const { guildId, token, actor, person } = applicant;
    await writeAbout(applicant);
    await setVerification(guildId, { enabled: false });
    expect(availableMethods(await rulesOf(guildId))).to.deep.equal([]);
    const { chatUserId } = person;
    for (const call of [
      createVerification({ guildId, method: 'profile_code', chatUserId }, actor),
      completeByProfile(token, person.gameUsername, actor),
      retryVerification(token, undefined, actor),
    ]) {
      expect(await refusal(call)).to.include({ kind: 'forbidden', code: 'verification_disabled' });
    }
    expect(await stored(token)).to.include({ state: 'pending', attempts: 0 });
  });

  it('A guild’s verification settings do not hold for a verification without a guild', async () => {
    const person = await buildPerson();
    const actor = chatUser(person.chatUserId, person.username);
    const wish = { guildId: null, method: 'profile_code', chatUserId: person.chatUserId } as const;
    const { session, token } = await createVerification(wish, actor);
    await writeAbout({ person, session });
    const { account, sync } = await completeByProfile(token, person.gameUsername, actor);
    expect(account?.gameUserId).to.equal(person.gameUserId);
    expect(sync).to.equal(null);
  });
});
