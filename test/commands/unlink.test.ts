import { expect } from 'chai';
import { systemActor } from '../../src/core/actors/actor.js';
import { allAccounts, findAccount } from '../../src/features/accounts/account-service.js';
import { giveWord } from '../../src/features/accounts/account-words.js';
import { findMember } from '../../src/features/members/member-service.js';
import { addOther } from '../features/accounts/other-account.js';
import { asPerson } from '../support/api.js';
import { withPromptSyncs } from '../support/background.js';
import { buildGuild, buildMember, buildPerson, eventually, type TestGuild } from '../support/build.js';
import { onceShown } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { followUpWords, labelsOf, privateAnswer, privateWords } from './private-answer.js';

describe('/unlink', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: TestGuild;

  before(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });

  it('/unlink asks first, and then unlinks the person in every server and takes the roles', async () => {
    const elsewhere = await buildGuild();
    const role = discord.addRole(elsewhere.guildId, { name: 'Verified' });
    const draft = { condition: { type: 'verified' }, roleIds: [role.id] };
    await elsewhere.api.post(`${elsewhere.path}/mappings`, draft);
    const person = await buildMember(guild);
    await buildMember(elsewhere, { person });
    expect(discord.member(elsewhere.guildId, person.chatUserId)?.roleIds).to.deep.equal([role.id]);

    const question = await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'unlink'));
    expect(question.words).to.contain(person.gameUsername).and.contain('every server');
    expect(labelsOf(question)).to.deep.equal(['Unlink']);
    expect(await findAccount(person.chatUserId), 'not before the button').to.not.equal(null);

    const done = await privateAnswer(discord.press(guild.guildId, person.chatUserId, question, 'Unlink'));
    expect(done.words).to.contain('unlinked in every server');
    expect(done.buttons).to.deep.equal([]);
    expect(await findAccount(person.chatUserId)).to.equal(null);
    for (const { guildId } of [guild, elsewhere]) {
      expect(await findMember(guildId, person.chatUserId)).to.include({ state: 'unlinked' });
    }
    await eventually(
      () => discord.member(elsewhere.guildId, person.chatUserId)?.roleIds.length === 0,
      'the loss of the role',
    );
  });

  // ID-110
  for (const door of ['/unlink', 'DELETE /api/verification/unlink'])
    it(`${door} ends the proofs and the words of servers, so that no word links the person again`, async () => {
      const [proved, told] = [await buildGuild(), await buildGuild()];
      const person = await buildMember(proved);
      const other = await addOther(person);
      await buildMember(told, { person, linked: false });
      const word = await buildPerson();
      const game = { ...word, gameDisplayName: word.gameUsername };
      const voucher = { chatUserId: null, ceilingRoleId: null };
      const { chatUserId } = person;
      const { guildId } = told;
      await giveWord({ guildId, chatUserId, game, method: 'game_code', voucher }, systemActor('test'));
      const isLinked = async () => (await findMember(guildId, chatUserId))?.state === 'linked';
      await eventually(isLinked, 'the link of joining');

      if (door === '/unlink') {
        const question = await privateAnswer(discord.command(guildId, chatUserId, 'unlink'));
        for (const { gameUsername } of [person, other, word]) expect(question.words).to.contain(gameUsername);
        expect(question.words).to.contain('from these 3 accounts');
        const done = await privateAnswer(discord.press(guildId, chatUserId, question, 'Unlink'));
        expect(done.words).to.contain('Your 3 Roblox accounts are unlinked in every server');
      } else {
        expect((await (await asPerson(person)).delete('/api/verification/unlink')).status).to.equal(204);
      }
      expect(await allAccounts(chatUserId)).to.deep.equal([]);
      for (const guild of [proved, told])
        expect(await findMember(guild.guildId, chatUserId)).to.include({ state: 'unlinked' });
    });

  it('/unlink reports that there is nothing to unlink', async () => {
    const person = await buildMember(guild, { linked: false });
    const answer = await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'unlink'));
    expect(answer.words).to.equal("You don't have a Roblox account linked.");
    expect(answer.buttons).to.deep.equal([]);
  });

  it('/unlink explains that the account is gone when it was unlinked before the press', async () => {
    const person = await buildMember(guild);
    const [first, second] = [
      await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'unlink')),
      await privateAnswer(discord.command(guild.guildId, person.chatUserId, 'unlink')),
    ];
    await privateWords(discord.press(guild.guildId, person.chatUserId, first, 'Unlink'));
    const pressed = await discord.press(guild.guildId, person.chatUserId, second, 'Unlink');
    await onceShown(() => pressed.followUps().length > 0, 'the refusal');
    expect(followUpWords(pressed)).to.equal('No Roblox account is linked.');
    expect(pressed.followUps()[0]).to.include({ ephemeral: true });
  });
});
