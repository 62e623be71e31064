import { expect } from 'chai';
import sinon from 'sinon';
import { chatUser } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Accounts } from '../../../src/features/accounts/account-model.js';
import { linkDueMembers } from '../../../src/features/accounts/late-links.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { chooseUse } from '../../../src/features/verification/claim-answers.js';
import { completeByProfile, createVerification } from '../../../src/features/verification/verification-service.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildMember, buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { rolesBecome } from '../members/roles-become.js';
import { buildGroupGuild, type GroupGuild, mapTo, setSettings } from '../sync/sync-setup.js';
import { failRoblox, writeAbout } from '../verification/verification-setup.js';

const dayMs = 86_400_000;

// SET-1
describe('The minimum account age of a guild', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let strict: GroupGuild;
  let verified: string;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    strict = await buildGroupGuild();
    [verified = ''] = await mapTo(strict, { type: 'verified' });
    await demand(30);
  });

  const demand = (minimumAccountAgeDays: number) =>
    setSettings(strict, { verification: { ...defaultSettings.verification, minimumAccountAgeDays } });
  const personOfAge = (days: number) => buildPerson({ createdAt: new Date(Date.now() - days * dayMs) });
  const member = ({ chatUserId }: TestPerson) => findMember(strict.guildId, chatUserId);
  const owed = (person: TestPerson) => eventually(async () => (await member(person))?.linkDueAt, 'the owed link');
  /** Moves the clock to the day on which the member is due again. */
  async function lookAgain({ chatUserId }: TestPerson): Promise<void> {
    await Members.update({ guildId: strict.guildId, chatUserId }, { $set: { linkDueAt: new Date(0) } });
    await linkDueMembers(new AbortController().signal);
  }

  /** Proves the person's account outside every guild, to get around a guild's minimum. */
  async function verifyElsewhere(person: TestPerson): Promise<void> {
    const { chatUserId, username, gameUsername } = person;
    const actor = chatUser(chatUserId, username);
    const { session, token } = await createVerification({ guildId: null, method: 'profile_code', chatUserId }, actor);
    await writeAbout({ person, session });
    const { session: now } = await completeByProfile(token, gameUsername, actor);
    if (now.isChoosing) await chooseUse(token, actor, { gameUserId: person.gameUserId, use: 'replace' });
  }

  it('The minimum account age holds for a joining person with an account from elsewhere, until the account is old enough', async () => {
    const person = await personOfAge(29.5);
    await verifyElsewhere(person);
    expect((await Accounts.findById(person.chatUserId))?.gameCreatedAt?.getTime()).to.be.below(Date.now() - 29 * dayMs);
    discord.join(strict.guildId, person.chatUserId);
    const dueAt = await owed(person);
    expect(dueAt.getTime() - Date.now()).to.be.within(0.4 * dayMs, 0.5 * dayMs);
    expect(await member(person)).to.include({ state: 'joined' });
    await lookAgain(person);
    expect(await member(person)).to.include({ state: 'joined' });
    expect((await owed(person)).getTime()).to.be.greaterThan(Date.now());

    const gameCreatedAt = new Date(Date.now() - 31 * dayMs);
    await Accounts.updateOne({ _id: person.chatUserId }, { $set: { gameCreatedAt } });
    await lookAgain(person);
    expect(await member(person)).to.include({ state: 'linked' });
    expect(await member(person)).not.to.have.property('linkDueAt');
    await rolesBecome(strict, person, [verified]);
  });

  it('The minimum account age holds for a member with a verification from elsewhere', async () => {
    const person = await personOfAge(3);
    await buildMember(strict, { linked: false, person });
    await verifyElsewhere(person);
    expect(await member(person)).to.include({ state: 'joined' });
    expect((await owed(person)).getTime() - Date.now(), 'looked at daily').to.be.within(dayMs - 60_000, dayMs);
    await demand(2);
    await lookAgain(person);
    expect(await member(person)).to.include({ state: 'linked' });
  });

  it('A member loses the link by changing to a younger account elsewhere', async () => {
    const person = await personOfAge(100);
    await buildMember(strict, { person });
    await rolesBecome(strict, person, [verified]);
    const { gameUserId, gameUsername } = await personOfAge(3);
    await verifyElsewhere({ ...person, gameUserId, gameUsername });
    expect(await member(person)).to.include({ state: 'unlinked' });
    await rolesBecome(strict, person, []);
    await owed(person);
  });

  it('A late link that fails by a fault of ours is due again ten minutes later, whichever process finds it', async () => {
    const person = await personOfAge(3);
    await buildMember(strict, { linked: false, person });
    await verifyElsewhere(person);
    await owed(person);
    await demand(2);
    sinon.stub(Accounts, 'find').throws(new Error('a fault'));
    await lookAgain(person);
    sinon.restore();
    expect((await owed(person)).getTime() - Date.now()).to.be.within(9 * 60_000, 10 * 60_000);
    await linkDueMembers(new AbortController().signal);
    expect(await member(person)).to.include({ state: 'joined' });
    await lookAgain(person);
    expect(await member(person)).to.include({ state: 'linked' });
  });

  it('The account’s age is read from Roblox where it is not stored, and again while Roblox is down', async () => {
    const person = await personOfAge(100);
    await linkPerson(null, person);
    expect(await Accounts.findById(person.chatUserId).lean()).not.to.have.property('gameCreatedAt');
    const restore = await failRoblox(/^GET apis\.roblox\.com\/cloud\/v2\/users/);
    discord.join(strict.guildId, person.chatUserId);
    await eventually(async () => (await member(person))?.linkDueAt, 'the owed link').finally(restore);
    expect(await member(person)).to.include({ state: 'joined' });
    await lookAgain(person);
    expect(await member(person)).to.include({ state: 'linked' });
    expect(await Accounts.findById(person.chatUserId).lean()).to.have.property('gameCreatedAt');
  });
});
