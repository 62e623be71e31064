import { expect } from 'chai';
import { privateWords } from '../../commands/private-answer.js';
import { buildGuild, buildMember } from '../../support/build.js';
import { world } from '../../support/world.js';

describe('Commands and presses', () => {
  // API-30
  it('A person’s 121st command or press in a minute is refused with a reason, while others continue', async () => {
    const { discord } = await world();
    const guild = await buildGuild();
    const [eager, calm] = [await buildMember(guild), await buildMember(guild)];
    const account = (who: typeof eager) => privateWords(discord.command(guild.guildId, who.chatUserId, 'account'));
    for (let n = 0; n < 120; n += 1) expect(await account(eager)).to.contain(eager.gameUsername);
    expect(await account(eager)).to.match(/Too many requests\. Try again in \d+ s/);
    expect(await account(calm)).to.contain(calm.gameUsername);
  });
});
