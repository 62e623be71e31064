import { expect } from 'chai';
import { findPresentGuild } from '../../../src/core/guilds/guild-service.js';
import { guildHealth } from '../../../src/features/guild-views/guild-health.js';
import { clock } from '../../../src/lib/clock.js';
import { inLane, type Lane } from '../../../src/lib/lane.js';
import { readMember } from '../../../src/platforms/discord/guild-members.js';
import { buildGuild, buildMember } from '../../support/build.js';
import { world } from '../../support/world.js';

// SYNC-139
describe('The health of a guild with waiting calls', () => {
  async function healthAfterWait(lane: Lane): Promise<string[][]> {
    const { discord } = await world();
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild, { linked: false });
    const known = await findPresentGuild(guild.guildId);
    const codes = async () =>
      known === null ? ['no guild'] : (await guildHealth(known)).health.map(({ code }) => code);
    discord.forgetRequests();
    const letGo = discord.inject({
      match: new RegExp(`^GET .*/guilds/${guild.guildId}/members/`),
      held: true,
      times: 1,
    });
    const calls = [1, 2].map(() => inLane(lane, () => readMember(guild.guildId, chatUserId)));
    clock.advance(6_000);
    const meanwhile = await codes();
    letGo();
    await Promise.all(calls);
    const after = await codes();
    clock.advance(61_000);
    return [meanwhile, after, await codes()];
  }

  it('A guild’s health says when its calls wait five seconds, for a minute', async () => {
    const waits = ['discord_calls_wait'];
    expect(await healthAfterWait('single')).to.deep.equal([waits, waits, []]);
  });

  it('A guild’s health leaves out the waits of bulk work', async () => {
    expect(await healthAfterWait('bulk')).to.deep.equal([[], [], []]);
  });
});
