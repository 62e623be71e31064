import { expect } from 'chai';
import { findAccount } from '../../../src/features/accounts/account-service.js';
import { chooseUse } from '../../../src/features/verification/claim-answers.js';
import {
  completeByOAuth,
  completeByProfile,
  createVerification,
  retryVerification,
} from '../../../src/features/verification/verification-service.js';
import { followUpWords } from '../../commands/private-answer.js';
import { buildGuild, buildPerson, eventually } from '../../support/build.js';
import { onceShown } from '../../support/events.js';
import { world } from '../../support/world.js';
import { type Applicant, buildApplicant, consent, stored, writeAbout } from './verification-setup.js';

describe('The question about a transfer', () => {
  it('An account’s owner is asked again about another account, and each button keeps only its own account', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const owner = await buildApplicant({ guild, method: 'oauth' });
    await completeByOAuth(owner.token, await consent(owner), owner.actor);
    const { gameUserId, gameUsername } = owner.person;
    const taker = await buildApplicant({ guild, person: { ...(await buildPerson()), gameUserId, gameUsername } });
    const asked = (name: string) =>
      eventually(
        () => discord.directMessages(owner.person.chatUserId).find(({ content }) => content.includes(`**${name}**`)),
        `the question about ${name}`,
      );
    await held(taker);
    const first = await asked(gameUsername);

    const other = await buildPerson();
    const chatUserId = owner.person.chatUserId;
    const again = await createVerification({ guildId: guild.guildId, method: 'oauth', chatUserId }, owner.actor);
    const person = { ...other, chatUserId };
    await completeByOAuth(again.token, await consent({ session: again.session, person }), owner.actor);
    await chooseUse(again.token, owner.actor, { gameUserId: other.gameUserId, use: 'main' });
    const { session } = await retryVerification(taker.token, 'profile_code', taker.actor);
    await held({ ...taker, session, person: { ...taker.person, ...gameOf(other) } });

    const second = await asked(other.gameUsername);
    const pressed = await discord.press(guild.guildId, chatUserId, first, 'Keep it');
    await onceShown(() => pressed.followUps().length > 0);
    expect(followUpWords(pressed)).to.contain('nothing left to object to');
    expect(await stored(taker.token)).to.include({ state: 'awaiting_transfer' });
    await (await discord.press(guild.guildId, chatUserId, second, 'Keep it')).reply();
    expect(await stored(taker.token)).to.include({ state: 'failed', reason: 'objected_by_owner' });
    expect(await findAccount(chatUserId)).to.include({ gameUserId: other.gameUserId });
  });

  const gameOf = ({ gameUserId, gameUsername }: Applicant['person']) => ({ gameUserId, gameUsername });

  /** Proves by words in the profile, so that the owner is asked, and has been. */
  async function held(applicant: Applicant): Promise<void> {
    await writeAbout(applicant);
    await completeByProfile(applicant.token, applicant.person.gameUsername, applicant.actor);
    await eventually(async () => (await stored(applicant.token)).transfer?.told, 'the owner to be told');
  }
});
