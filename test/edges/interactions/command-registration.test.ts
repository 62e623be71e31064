import { container, Events } from '@sapphire/framework';
import { expect } from 'chai';
import { eventually } from '../../support/build.js';
import { type World, world } from '../../support/world.js';

// DISC-50
describe('The registration of commands', () => {
  let discord: World['discord'];
  before(async () => {
    ({ discord } = await world());
  });
  afterEach(() => discord.clearFaults());

  it('The bot registers every command again after Discord failed at it', async () => {
    const registrations = () =>
      discord.requests.filter(({ method, path }) => method === 'PUT' && /applications\/\d+\/commands$/.test(path));
    const names = async () =>
      [...((await container.client.application?.commands.fetch())?.values() ?? [])].map(({ name }) => name);
    const registered = await names();
    const before = registrations().length;
    discord.inject({ match: /^PUT .*\/commands$/, status: 503, times: 4 });
    container.client.emit(Events.ApplicationCommandRegistriesBulkOverwriteError, new Error('503'), null);
    await eventually(
      () =>
        registrations()
          .slice(before)
          .some(({ status }) => status === 200),
      'the commands',
      60_000,
    );
    expect(registrations().length).to.be.greaterThan(before + 1);
    expect(registered).to.include('verify');
    expect(await names()).to.have.members(registered);
  });
});
