import { container, Events } from '@sapphire/framework';
import { expect } from 'chai';
import { patience } from '../../../src/platforms/discord/rest/patience.js';
import { eventually } from '../../support/build.js';
import { linesOf } from '../../support/logged-lines.js';
import { type World, world } from '../../support/world.js';

// DISC-50
describe('The registration of commands', () => {
  let discord: World['discord'];
  before(async () => {
    ({ discord } = await world());
  });
  const { longestMs } = patience;
  afterEach(() => {
    patience.longestMs = longestMs;
    discord.clearFaults();
  });

  const registrations = () =>
    discord.requests.filter(({ method, path }) => method === 'PUT' && /applications\/\d+\/commands$/.test(path));

  /** What Sapphire does when the bot is ready. */
  const registerAsSapphire = async () => {
    const { client } = container;
    const failed = await client.application?.commands.set([]).catch((error: unknown) => error);
    if (failed instanceof Error) client.emit(Events.ApplicationCommandRegistriesBulkOverwriteError, failed, null);
  };

  it('The bot registers every command again after Discord failed at it', async () => {
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

  it('A registration that Discord puts off for a day is logged with the time, and doesn’t hold the start', async () => {
    discord.inject({ match: /^PUT .*\/commands$/, status: 429, retryAfter: 86_400, times: 1 });
    const lines = await linesOf(registerAsSapphire);
    const line = lines.find(({ msg }) => msg === 'commands not registered');
    expect(line?.againInSeconds).to.be.within(86_400, 86_401);
  });

  it('A registration that Discord puts off is made when Discord lets it', async () => {
    patience.longestMs = 50;
    const before = registrations().length;
    discord.inject({ match: /^PUT .*\/commands$/, status: 429, retryAfter: 1, times: 1 });
    await registerAsSapphire();
    await eventually(() => registrations().length === before + 2, 'the second try');
    expect(registrations().at(-1)?.status).to.equal(200);
  });
});
