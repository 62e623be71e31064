import { expect } from 'chai';
import { AuditLog } from '../../../src/core/audit/audit-model.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { settleTransfers } from '../../../src/features/verification/transfers.js';
import { Verifications } from '../../../src/features/verification/verification-model.js';
import {
  completeByOAuth,
  completeByProfile,
  readVerification,
  retryVerification,
} from '../../../src/features/verification/verification-service.js';
import { purgeVerifications } from '../../../src/features/verification/verification-store.js';
import { clock } from '../../../src/lib/clock.js';
import { hashSecret } from '../../../src/lib/ids.js';
import { buildGuild, buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import { type Applicant, age, buildApplicant, consent, refusal, stored, writeAbout } from './verification-setup.js';

const dayMs = 86_400_000;
const settle = () => settleTransfers(new AbortController().signal);

// ID-10, VER-17, VER-18
describe('Profile words for an account that OAuth proved', () => {
  let discord: World['discord'];
  let owner: Applicant;
  let taker: Applicant;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    const guild = await buildGuild();
    owner = await buildApplicant({ guild, method: 'oauth' });
    await completeByOAuth(owner.token, await consent(owner), owner.actor);
    taker = await applicantFor(owner.person);
  });

  /** A guild member who signs in with the account, or has their phrase in its profile when `method` is left out. */
  async function applicantFor({ gameUserId, gameUsername }: TestPerson, method?: 'oauth'): Promise<Applicant> {
    const person = { ...(await buildPerson()), gameUserId, gameUsername };
    const applicant = await buildApplicant({ guild: owner, person, ...(method && { method }) });
    if (method === undefined) await writeAbout(applicant);
    return applicant;
  }

  const prove = ({ token, person, actor }: Applicant) => completeByProfile(token, person.gameUsername, actor);
  const question = ({ person: { chatUserId } } = owner) =>
    eventually(async () => {
      const { transfer } = await stored(taker.token);
      const isAsked = transfer?.told && transfer.ownerId === chatUserId;
      return isAsked ? discord.directMessages(chatUserId).at(-1) : undefined;
    }, 'the question');
  const ownerOfGame = async () => ({
    owner: (await findAccount(owner.person.chatUserId))?.gameUserId,
    taker: (await findAccount(taker.person.chatUserId))?.gameUserId,
  });

  // VER-10
  it('Profile words do not move an OAuth account for 24 hours, and its owner gets a message', async () => {
    const { session, account } = await prove(taker);
    expect(session.state).to.equal('awaiting_transfer');
    expect(account).to.equal(null);
    const asked = await question();
    expect(asked.content).to.contain(taker.person.username).and.contain(owner.person.gameUsername);
    expect(asked.buttons.map(({ label }) => label)).to.deep.equal(['Keep it']);
    const held = (await latestEntries(taker.guildId, 20)).find(({ action }) => action === 'verification.transfer_held');
    expect(held?.changes).to.deep.equal({ gameUserId: { from: null, to: owner.person.gameUserId } });
    await age({ _id: hashSecret(taker.token) }, dayMs - 60_000);
    await settle();
    expect(await ownerOfGame()).to.deep.equal({ owner: owner.person.gameUserId, taker: undefined });
    expect((await refusal(prove(taker))).code).to.equal('awaiting_transfer');
  });

  it('An account’s owner gets one message about profile words, even when the process was killed after Discord had it', async () => {
    await prove(taker);
    await question();
    await Verifications.updateOne({ _id: hashSecret(taker.token) }, { $set: { 'transfer.told': false } });
    await settle();
    expect((await stored(taker.token)).transfer?.told).to.equal(true);
    expect(discord.directMessages(owner.person.chatUserId)).to.have.length(1);
  });

  it('Profile words move an OAuth account after 24 hours without an objection, regardless of when the service processes it', async () => {
    await listen(taker);
    await prove(taker);
    await question();
    await age({ _id: hashSecret(taker.token) }, 3 * dayMs);
    await purgeVerifications(clock.now());
    await settle();
    expect(await ownerOfGame()).to.deep.equal({ owner: undefined, taker: owner.person.gameUserId });
    expect(await findMember(taker.guildId, taker.person.chatUserId)).to.include({ state: 'linked' });
    expect(await findMember(taker.guildId, owner.person.chatUserId)).to.include({ state: 'unlinked' });
    expect(await readVerification(taker.token, taker.actor)).to.include({ state: 'completed' });
    const { chatUserId, gameUserId, gameUsername } = taker.person;
    expect(await dataOf(taker, 'verification.completed')).to.deep.equal([{ chatUserId, gameUserId, gameUsername }]);
    await settle();
  });

  it('Profile words move nothing when the owner keeps the account', async () => {
    await prove(taker);
    const { guildId } = taker;
    const reply = await (await discord.press(guildId, owner.person.chatUserId, await question(), 'Keep it')).reply();
    expect(reply.content).to.contain('You keep');
    expect(await readVerification(taker.token, taker.actor)).to.include({
      state: 'failed',
      reason: 'objected_by_owner',
    });
    await age({ _id: hashSecret(taker.token) }, 2 * dayMs);
    await settle();
    expect(await ownerOfGame()).to.deep.equal({ owner: owner.person.gameUserId, taker: undefined });
    const failed = (await latestEntries(guildId, 20)).find(({ action }) => action === 'verification.failed');
    expect(failed?.actor).to.include({ kind: 'system', id: 'objection' });
    const noted = AuditLog.acrossGuilds.find({ action: 'account.disowned', 'actor.id': owner.person.chatUserId });
    expect(await noted.lean<unknown[]>()).to.have.length(1);
  });

  it('A sign-in by OAuth immediately moves an account that profile words were waiting for', async () => {
    await prove(taker);
    await question();
    const { session } = await retryVerification(taker.token, 'oauth', taker.actor);
    const done = await completeByOAuth(taker.token, await consent({ ...taker, session }), taker.actor);
    expect(done.session.state).to.equal('completed');
    expect(await ownerOfGame()).to.deep.equal({ owner: undefined, taker: owner.person.gameUserId });
  });

  it('A new owner of the account during the day of profile words is asked, and has a day of their own', async () => {
    await prove(taker);
    await question();
    const real = await applicantFor(owner.person, 'oauth');
    await completeByOAuth(real.token, await consent(real), real.actor);
    await age({ _id: hashSecret(taker.token) }, dayMs + 60_000);
    await settle();
    const { gameUserId } = owner.person;
    expect(await findAccount(real.person.chatUserId)).to.include({ gameUserId });
    const asked = await question(real);
    expect(asked.content).to.contain(taker.person.username);
    await age({ _id: hashSecret(taker.token) }, dayMs + 60_000);
    await settle();
    expect(await findAccount(real.person.chatUserId)).to.equal(null);
    expect(await ownerOfGame()).to.deep.equal({ owner: undefined, taker: gameUserId });
  });

  it('Profile words count for nothing when the person has linked another account since', async () => {
    await prove(taker);
    await question();
    const other = await buildApplicant({ person: { ...taker.person, ...gameOf(await buildPerson()) } });
    await writeAbout(other);
    await prove(other);
    await age({ _id: hashSecret(taker.token) }, dayMs);
    await settle();
    expect(await stored(taker.token)).to.include({ state: 'failed', reason: 'superseded' });
    expect(await ownerOfGame()).to.deep.equal({ owner: owner.person.gameUserId, taker: other.person.gameUserId });
  });

  it('The day of profile words begins with the owner’s message, and not while Discord is away', async () => {
    discord.inject({ match: /POST .*\/users\/@me\/channels/, dropSocket: true });
    await prove(taker);
    await settle();
    expect((await stored(taker.token)).transfer).to.include({ told: false });
    await Verifications.updateOne({ _id: hashSecret(taker.token) }, { $set: { expiresAt: new Date(0) } });
    discord.clearFaults();
    await settle();
    await question();
    expect((await stored(taker.token)).expiresAt.getTime()).to.be.greaterThan(Date.now() + dayMs - 60_000);
    expect(await ownerOfGame()).to.deep.equal({ owner: owner.person.gameUserId, taker: undefined });
  });

  it('Profile words of the account’s own owner leave it proved by OAuth', async () => {
    const again = await buildApplicant({ person: owner.person });
    await writeAbout(again);
    expect((await prove(again)).session.state).to.equal('completed');
    expect(await findAccount(owner.person.chatUserId)).to.include({ method: 'oauth' });
  });
});

const gameOf = ({ gameUserId, gameUsername }: TestPerson) => ({ gameUserId, gameUsername });
