import { expect } from 'chai';
import { sendDirectMessage } from '../../../src/platforms/discord/direct-messages.js';
import { buildGuild, buildMember, buildPerson, type TestGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

describe('Direct messages', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  before(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });
  afterEach(() => discord.clearFaults());

  const textsTo = (chatUserId: string) => discord.directMessages(chatUserId).map(({ content }) => content);

  it('A direct message arrives as it is written', async () => {
    const { chatUserId } = await buildMember(guild, { linked: false });
    expect(await sendDirectMessage(chatUserId, 'Hello **you**')).to.equal(true);
    expect(textsTo(chatUserId)).to.deep.equal(['Hello **you**']);
  });

  it('A direct message arrives once, though Discord’s answer is lost and it is sent again', async () => {
    const { chatUserId } = await buildMember(guild, { linked: false });
    discord.inject({ match: /POST .*\/channels\/\d+\/messages/, status: 502, when: 'after', times: 1 });
    expect(await sendDirectMessage(chatUserId, 'once')).to.equal(true);
    expect(textsTo(chatUserId)).to.deep.equal(['once']);
  });

  it('sendDirectMessage returns false for a person with closed messages, without a shared server, or that does not exist', async () => {
    const { chatUserId: closed } = await buildMember(guild, { linked: false });
    discord.acceptDirectMessages(closed, false);
    const { chatUserId: stranger } = await buildPerson();
    for (const chatUserId of [closed, stranger]) {
      expect(await sendDirectMessage(chatUserId, 'Hello')).to.equal(false);
      expect(textsTo(chatUserId)).to.deep.equal([]);
    }
    expect(await sendDirectMessage('100000000000000009', 'Hello')).to.equal(false);
  });

  it('sendDirectMessage returns false while Discord fails, and nothing arrives', async () => {
    const { chatUserId } = await buildMember(guild, { linked: false });
    for (const fault of [{ dropSocket: true }, { status: 400 }]) {
      discord.inject({ match: /POST .*\/users\/@me\/channels/, ...fault });
      expect(await sendDirectMessage(chatUserId, 'Hello'), JSON.stringify(fault)).to.equal(false);
      discord.clearFaults();
    }
    expect(textsTo(chatUserId)).to.deep.equal([]);
  });
});
