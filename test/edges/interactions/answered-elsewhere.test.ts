import { expect } from 'chai';
import { buildGuild, eventually, type TestGuild } from '../../support/build.js';
import { onLogLine } from '../../support/logged-lines.js';
import { type World, world } from '../../support/world.js';

// DISC-15
describe('Interactions that another process with the same token has answered', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  before(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });
  afterEach(() => discord.clearFaults());

  for (const [status, code, says] of [
    [400, 40_060, /^Another process with the same bot token answered/],
    [404, 10_062, /another process with the same bot token answered/],
  ] as const) {
    it(`One line of the log names an interaction that another process answered, for Discord’s code ${code}`, async () => {
      discord.inject({ match: /^POST .*\/interactions\/.*\/callback/, status, code });
      discord.forgetRequests();
      const told: string[] = [];
      const stop = onLogLine((line) => {
        const { level, msg } = JSON.parse(line);
        if (level >= 40) told.push(msg);
      });
      const answered = discord.command(guild.guildId, guild.ownerId, 'help').catch(() => undefined);
      await eventually(() => told.length > 0, 'the line');
      // Any other message comes before another command has its answer.
      discord.clearFaults();
      await (await discord.command(guild.guildId, guild.ownerId, 'help')).reply();
      stop();
      void answered;
      expect(told).to.have.length(1);
      expect(told[0]).to.match(says);
    });
  }
});
