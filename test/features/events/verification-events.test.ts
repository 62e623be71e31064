import { expect } from 'chai';
import sinon from 'sinon';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { endKilledProofs } from '../../../src/features/verification/killed-proofs.js';
import { Verifications } from '../../../src/features/verification/verification-model.js';
import {
  completeByOAuth,
  completeByProfile,
  createVerification,
  readVerification,
  retryVerification,
} from '../../../src/features/verification/verification-service.js';
import { asPerson } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import {
  buildGuild,
  buildMember,
  eventually,
  linkPerson,
  type TestGuild,
  type TestPerson,
} from '../../support/build.js';
import { world } from '../../support/world.js';
import { age, buildApplicant, consent, failRoblox, refusal, writeAbout } from '../verification/verification-setup.js';
import { dataOf, heard, listen } from './listening.js';

const completedOf = ({ chatUserId, gameUserId, gameUsername }: TestPerson) => ({
  chatUserId,
  gameUserId,
  gameUsername,
});

describe('The events of a verification', () => {
  withPromptSyncs();
  afterEach(() => sinon.restore());

  it('The event verification.completed reports a linked account once, with exactly its data', async () => {
    const applicant = await buildApplicant();
    await listen(applicant);
    await writeAbout(applicant);
    const before = Date.now();
    const me = await asPerson(applicant.person);
    const done = await me.post('/api/verification/complete', {
      token: applicant.token,
      gameUsername: applicant.person.gameUsername,
    });
    expect(done.status).to.equal(200);
    const again = await me.post('/api/verification/complete', { token: applicant.token });
    expect(again.body.code).to.equal('already_completed');

    const events = await heard(applicant, 'verification.completed', 'verification.failed');
    expect(events.map(({ data }) => data)).to.deep.equal([completedOf(applicant.person)]);
    expect(Object.keys(events[0] ?? {})).to.deep.equal(['id', 'event', 'createdAt', 'guildId', 'data']);
    expect(Date.parse(events[0]?.createdAt ?? '')).to.be.within(before, Date.now());
    expect(await Verifications.findOne({ guildId: applicant.guildId }).lean()).to.deep.include({ outbox: [] });
  });

  it('The event verification.failed reports each failed proof, with its number', async () => {
    const applicant = await buildApplicant();
    const { token, person, actor } = applicant;
    await listen(applicant);
    await refusal(completeByProfile(token, person.gameUsername, actor));
    await retryVerification(token, undefined, actor);
    const restore = await failRoblox(/users/);
    await refusal(completeByProfile(token, person.gameUsername, actor));
    restore();
    await refusal(completeByProfile(token, 'nobody_of_this_name', actor));
    await retryVerification(token, 'oauth', actor);
    const { session } = { session: await readVerification(token, actor) };
    const { state } = await consent({ session, person }, false);
    await refusal(completeByOAuth(token, { state, error: 'access_denied' }, actor));

    const { chatUserId } = person;
    expect(await dataOf(applicant, 'verification.failed')).to.deep.equal([
      { chatUserId, reason: 'code_not_found', method: 'profile_code', attempt: 1 },
      // That Roblox did not answer is no failure.
      { chatUserId, reason: 'game_account_not_found', method: 'profile_code', attempt: 2 },
      { chatUserId, reason: 'oauth_denied', method: 'oauth', attempt: 3 },
    ]);
    expect(await heard(applicant, 'verification.completed')).to.deep.equal([]);
  });

  it('A verification session that runs out and a proof that is refused send no event', async () => {
    const applicant = await buildApplicant();
    await listen(applicant);
    await age({ chatUserId: applicant.person.chatUserId }, 20 * 60_000);
    expect(await readVerification(applicant.token, applicant.actor)).to.include({ state: 'expired' });
    await refusal(completeByProfile(applicant.token, 'anybody', applicant.actor));
    expect(await heard(applicant, 'verification.failed', 'verification.completed')).to.deep.equal([]);
  });

  it('A verification that could not be stored sends no event, and one event when it is repeated', async () => {
    const applicant = await buildApplicant();
    const { token, person, actor } = applicant;
    await listen(applicant);
    await writeAbout(applicant);
    const write = sinon.stub(Verifications, 'findOneAndUpdate').callThrough();
    write
      .withArgs(sinon.match({ 'proof.id': sinon.match.string }), sinon.match.has('$push'))
      .throws(new Error('crash'));
    const crash = await completeByProfile(token, person.gameUsername, actor).catch((error: Error) => error);
    expect(crash).to.include({ message: 'crash' });
    sinon.restore();
    // The link is stored before the session is completed; a pending sync follows.
    expect(await findMember(applicant.guildId, person.chatUserId)).to.include({ state: 'linked' });
    expect(await heard(applicant, 'verification.completed')).to.deep.equal([]);
    await completeByProfile(token, person.gameUsername, actor);
    expect(await dataOf(applicant, 'verification.completed')).to.deep.equal([completedOf(person)]);
  });

  it('The settling of killed proofs sends one event for a verification killed between the link and the end', async () => {
    const applicant = await buildApplicant();
    const { token, person, actor, guildId } = applicant;
    const { chatUserId } = person;
    await listen(applicant);
    await writeAbout(applicant);
    // Nothing after the link is written, as when the process is killed: neither the end nor the giving back.
    const write = sinon.stub(Verifications, 'findOneAndUpdate').callThrough();
    write.withArgs(sinon.match({ 'proof.id': sinon.match.string })).throws(new Error('killed'));
    await completeByProfile(token, person.gameUsername, actor).catch(() => undefined);
    sinon.restore();
    // Killed before the link had reached the guild, too.
    await unlinkMember(applicant.guild, chatUserId, systemActor('admin'));
    await endKilledProofs(new AbortController().signal);
    expect(await readVerification(token, actor), 'may still be running').to.include({ state: 'pending' });
    await age({ chatUserId }, 60_000);
    for (let times = 0; times < 2; times += 1) await endKilledProofs(new AbortController().signal);
    expect(await readVerification(token, actor)).to.include({ state: 'completed' });
    expect(await dataOf(applicant, 'verification.completed')).to.deep.equal([completedOf(person)]);
    expect(await findMember(guildId, chatUserId)).to.include({ state: 'linked', autoLinkBlocked: false });
    const completed = (await latestEntries(guildId, 20)).find(({ action }) => action === 'verification.completed');
    expect(completed?.actor).to.include({ kind: 'user', id: chatUserId });
  });

  it('A killed proof that had linked nothing sends no event, and can be made again', async () => {
    const applicant = await buildApplicant();
    const { token, person, actor } = applicant;
    await listen(applicant);
    const proof = { id: 'of a dead process', until: new Date(0), by: { kind: 'user', id: actor.id, name: 'x' } };
    await Verifications.updateOne({ chatUserId: person.chatUserId }, { $set: { proof, attempts: 1 } });
    await endKilledProofs(new AbortController().signal);
    expect(await readVerification(token, actor)).to.include({ state: 'pending', proofInProgress: false });
    await writeAbout(applicant);
    await completeByProfile(token, person.gameUsername, actor);
    expect(await dataOf(applicant, 'verification.completed')).to.deep.equal([completedOf(person)]);
  });
});

describe('The events of a verification in other guilds', () => {
  withPromptSyncs();
  afterEach(() => sinon.restore());
  let guilds: [TestGuild, TestGuild, TestGuild];
  let person: TestPerson;

  beforeEach(async () => {
    guilds = await Promise.all([buildGuild(), buildGuild(), buildGuild()]);
    await Promise.all(guilds.map((guild) => listen(guild)));
    person = await buildMember(guilds[0], { linked: false });
    for (const guild of guilds.slice(1)) await buildMember(guild, { linked: false, person });
    await writeSettings(guilds[2].guildId, { ...defaultSettings, autoLinkOnJoin: false });
    await eventually(async () => {
      const members = await Promise.all(guilds.map(({ guildId }) => findMember(guildId, person.chatUserId)));
      return members.every((member) => member !== null && member.owedSync === undefined);
    }, 'the joins');
  });
  const told = () => Promise.all(guilds.map((guild) => dataOf(guild, 'verification.completed')));

  async function verifyIn(guildId: string | null): Promise<void> {
    const { chatUserId, username, gameUsername } = person;
    const actor = chatUser(chatUserId, username);
    const { session, token } = await createVerification({ guildId, method: 'profile_code', chatUserId }, actor);
    await writeAbout({ person, session });
    await completeByProfile(token, gameUsername, actor);
  }

  it('A verification outside every guild informs each guild once in which it links the person', async () => {
    await verifyIn(null);
    expect(await told()).to.deep.equal([[completedOf(person)], [completedOf(person)], []]);
  });

  it('A verification in one guild informs each guild once in which it links the person', async () => {
    await verifyIn(guilds[0].guildId);
    expect(await told()).to.deep.equal([[completedOf(person)], [completedOf(person)], []]);
  });

  it('A repeated link of the same account and a link by joining send no event', async () => {
    await linkPerson(guilds[0].guildId, person);
    await linkPerson(guilds[0].guildId, person);
    const late = await buildGuild();
    await listen(late);
    await buildMember(late, { linked: false, person });
    await eventually(async () => (await findMember(late.guildId, person.chatUserId))?.state === 'linked', 'the link');
    // Linked without a session, so that the proof's guild hears nothing here.
    expect(await told()).to.deep.equal([[], [completedOf(person)], []]);
    expect(await heard(late, 'verification.completed')).to.deep.equal([]);
  });

  it('An account that replaces another is reported in the person’s other guilds', async () => {
    await linkPerson(guilds[0].guildId, person);
    const { roblox } = await world();
    const other = roblox.addUser({ username: `Second${person.gameUserId}` });
    const second = { ...person, gameUserId: other.id, gameUsername: other.username };
    await linkPerson(guilds[0].guildId, second);
    expect((await told())[1]).to.deep.equal([completedOf(person), completedOf(second)]);
    expect(await heard(guilds[1], 'member.unlinked')).to.deep.equal([]);
    await unlinkMember(guilds[1].guild, person.chatUserId, chatUser(guilds[1].ownerId, 'Ann'));
    const [unlinked] = await heard(guilds[1], 'member.unlinked');
    expect(unlinked?.data).to.include({ gameUserId: second.gameUserId, gameUsername: second.gameUsername });
  });
});
