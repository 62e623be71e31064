import { expect } from 'chai';
import { findAccount, findAccountOfGame } from '../../../src/features/accounts/account-service.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { completeByProfile } from '../../../src/features/verification/verification-service.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildGuild, buildPerson, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { type Applicant, buildApplicant, writeAbout } from './verification-setup.js';

/** Two people in a guild, each with their phrase in one Roblox account's profile. */
async function buildRivals(guild: TestGuild): Promise<[Applicant, Applicant]> {
  const one = await buildApplicant({ guild });
  const { gameUserId, gameUsername } = one.person;
  const person = { ...(await buildPerson()), gameUserId, gameUsername };
  const other = await buildApplicant({ guild, person });
  await writeAbout(one, `${one.session.phrase}\n${other.session.phrase}`);
  return [one, other];
}

const prove = ({ token, person, actor }: Applicant) => completeByProfile(token, person.gameUsername, actor);

// ID-8, ID-9
describe('Verification of another person’s account', () => {
  withPromptSyncs();
  it('A verified account moves to the latest owner, and the former owner is unlinked everywhere', async () => {
    const [first, second] = await buildRivals(await buildGuild());
    const { guildId } = first;
    await prove(first);
    const { account } = await prove(second);
    expect(account).to.include({ _id: second.person.chatUserId, gameUserId: first.person.gameUserId });
    expect(await findAccount(first.person.chatUserId)).to.equal(null);
    expect(await findMember(guildId, first.person.chatUserId)).to.include({ state: 'unlinked' });
    const { discord } = await world();
    await eventually(() => discord.member(guildId, first.person.chatUserId)?.nickname === null, 'the nickname to go');
  });

  it('Of two people proving an account at the same time one gets it, in the account and in the guild', async () => {
    const guild = await buildGuild();
    for (let round = 0; round < 4; round += 1) {
      const rivals = await buildRivals(guild);
      const outcomes = await Promise.allSettled(rivals.map(prove));
      for (const outcome of outcomes) {
        if (outcome.status === 'rejected') expect(outcome.reason).to.include({ code: 'account_transferred' });
      }
      expect(outcomes.some(({ status }) => status === 'fulfilled')).to.equal(true);
      const owner = await findAccountOfGame(rivals[0].person.gameUserId);
      const accounts = await Promise.all(rivals.map(({ person }) => findAccount(person.chatUserId)));
      expect(accounts.filter((account) => account !== null)).to.have.length(1);
      const members = await Promise.all(rivals.map(({ person }) => findMember(guild.guildId, person.chatUserId)));
      const linked = members.filter((member) => member?.state === 'linked').map((member) => member?.chatUserId);
      expect(linked).to.deep.equal([owner?._id]);
    }
  });
});
