import { expect } from 'chai';
import { z } from 'zod';
import { checkGameKey } from '../../src/features/installation/game-key.js';
import { failingServices } from '../../src/lib/last-calls.js';
import { readRoblox } from '../../src/platforms/roblox/roblox-http.js';
import { eventsNotSent } from '../../src/platforms/stripe/stripe-setup.js';
import { api } from '../support/api.js';
import { buildGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';

/** API-47: /readyz reports a service by the last call to it. */
describe('The last call to another service', () => {
  let service: World;
  before(async () => {
    service = await world();
  });
  afterEach(() => {
    service.discord.clearFaults();
    service.roblox.clearFaults();
    service.stripe.clearFaults();
  });

  const warns = async (code: string): Promise<boolean> => {
    const { body } = await api().get('/readyz');
    return body.warnings.includes(code);
  };
  const fails = (call: () => Promise<unknown>) => call().catch(() => undefined);

  it('/readyz warns while Discord fails, and no longer once it has answered', async () => {
    const guild = await buildGuild();
    const search = () => guild.api.get(`${guild.path}/people?q=a`);
    service.discord.inject({ match: /search/, status: 500 });
    await search();
    expect(await warns('discord_not_answering')).to.equal(true);
    service.discord.clearFaults();
    await search();
    expect(await warns('discord_not_answering')).to.equal(false);
  });

  it('/readyz warns while Roblox refuses the key, and no longer once it has answered', async () => {
    const read = () =>
      readRoblox({ host: 'apis', endpoint: 'users', path: '/cloud/v2/users/1', answer: z.unknown(), headers: {} });
    service.roblox.inject({ match: /cloud\/v2\/users/, status: 401 });
    await fails(read);
    expect(await warns('roblox_apis_not_answering')).to.equal(true);
    expect(await warns('roblox_key_wrong')).to.equal(true);
    service.roblox.clearFaults();
    await checkGameKey();
    expect(await warns('roblox_apis_not_answering')).to.equal(false);
    expect(await warns('roblox_key_wrong')).to.equal(false);
  });

  it('/readyz warns while Stripe refuses the key, and no longer once Stripe has answered', async () => {
    const ask = () => eventsNotSent('https://rolelink.example', []);
    service.stripe.inject({ match: /webhook_endpoints/, status: 401, times: 1 });
    await fails(ask);
    expect(await warns('stripe_not_answering')).to.equal(true);
    await ask();
    expect(await warns('stripe_not_answering')).to.equal(false);
    expect(failingServices()).to.not.include('stripe');
  });
});
