import { expect } from 'chai';
import { findAccount } from '../../src/features/accounts/account-service.js';
import { findMember } from '../../src/features/members/member-service.js';
import { withPromptSyncs } from '../support/background.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../support/build.js';
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
    await eventually(() => pressed.followUps().length > 0, 'the refusal');
    expect(followUpWords(pressed)).to.equal('No Roblox account is linked.');
    expect(pressed.followUps()[0]).to.include({ ephemeral: true });
  });
});
