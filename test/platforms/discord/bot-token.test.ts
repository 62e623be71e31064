import { expect } from 'chai';
import { GatewayCloseCodes } from 'discord.js';
import { gatewayReady } from '../../../src/platforms/discord/gateway-state.js';
import { api, asPerson } from '../../support/api.js';
import { buildGuild, eventually, type TestGuild } from '../../support/build.js';
import { onLogLine } from '../../support/logged-lines.js';
import { type World, world } from '../../support/world.js';

/** DISC-47: one token refusal is not for good while Discord itself takes it. */
describe('The bot token', () => {
  let discord: World['discord'];
  let guild: TestGuild;

  before(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
  });
  afterEach(async () => {
    discord.clearFaults();
    discord.closeGatewayWith();
    await eventually(gatewayReady, 'the gateway');
  });

  // DISC-48
  it('The bot token survives one 401 of any call: that call is a 503, and the next one works', async () => {
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    const search = async () => (await owner.get(`${guild.path}/people?q=a`)).status;
    expect(await search()).to.equal(200);
    discord.inject({ match: /search/, status: 401, times: 1 });
    expect([await search(), await search(), await search()]).to.deep.equal([503, 200, 200]);
    expect((await api().get('/readyz')).body.gateway).to.equal(true);
  });

  it('The bot reconnects after the gateway closed one connection as if the token were wrong', async () => {
    discord.closeGatewayWith(GatewayCloseCodes.AuthenticationFailed);
    await eventually(() => !gatewayReady(), 'the loss');
    discord.closeGatewayWith();
    await eventually(gatewayReady, 'the gateway');
  });

  // DISC-49
  it('The bot waits longer before each connection to a gateway that ends every connection before HELLO', async () => {
    const waits: number[] = [];
    const stop = onLogLine((line) => {
      const { msg, waitMs } = JSON.parse(line);
      if (msg === 'gateway connection postponed') waits.push(waitMs);
    });
    try {
      discord.closeGatewayWith(1011);
      await eventually(() => waits.length > 1, 'two waits');
    } finally {
      stop();
    }
    const [first = 0, second = 0] = waits;
    expect(first).to.be.within(500, 1_000);
    expect(second).to.be.within(1_000, 2_000);
  });
});
