import { expect } from 'chai';
import { storeMemberCounts } from '../../../src/core/guilds/member-counts.js';
import { buildGuild, buildPerson, eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

describe('The number of members of a guild', () => {
  let discord: World['discord'];

  before(async () => {
    ({ discord } = await world());
  });

  // API-60
  it('The member count follows each join and leave, without a restart or a change of the server', async () => {
    const guild = await buildGuild();
    const people = await Promise.all(Array.from({ length: 5 }, () => buildPerson()));
    const countOf = async (): Promise<number> => {
      await storeMemberCounts();
      return (await guild.api.get(guild.path)).body.memberCount;
    };
    const before = await countOf();
    for (const { chatUserId } of people) discord.join(guild.guildId, chatUserId);
    await eventually(async () => (await countOf()) === before + 5);
    for (const { chatUserId } of people.slice(0, 3)) discord.leave(guild.guildId, chatUserId);
    await eventually(async () => (await countOf()) === before + 2);
    expect(await countOf()).to.equal(before + 2);
  });
});
