import { expect } from 'chai';
import { Routes } from 'discord.js';
import { ChatPlatformUnavailable } from '../../../../src/lib/errors.js';
import { awaited, inLane, type Lane } from '../../../../src/lib/lane.js';
import { giveRole } from '../../../../src/platforms/discord/member-writes.js';
import { callDiscord } from '../../../../src/platforms/discord/rest/discord-call.js';
import { HeldBack } from '../../../../src/platforms/discord/rest/invalid-request-guard.js';
import { patience } from '../../../../src/platforms/discord/rest/patience.js';
import { buildGuild, buildMember, type TestGuild } from '../../../support/build.js';
import { type World, world } from '../../../support/world.js';
import { refusal } from '../lane-setup.js';

const aDay = 86_400;

// API-10
describe('Calls for which Discord asks to wait a day', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let memberId: string;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    ({ chatUserId: memberId } = await buildMember(guild));
  });
  const { longestMs } = patience;
  afterEach(() => {
    patience.longestMs = longestMs;
    discord.clearFaults();
  });

  const putOff = (match: RegExp) => discord.inject({ match, status: 429, retryAfter: aDay, times: 1 });
  function expectTold(error: unknown): void {
    expect(error).to.be.instanceOf(HeldBack);
    expect(Reflect.get(Object(error), 'retryAfterSeconds')).to.be.within(aDay, aDay + 1);
  }

  it('A read of a person over HTTP ends at once with the time, also the next one, and a resync of one too', async () => {
    putOff(new RegExp(`^GET .*/guilds/${guild.guildId}/members/`));
    const path = `${guild.path}/members/${memberId}`;
    for (const ask of [() => guild.api.get(`${path}?fresh=true`), () => guild.api.post(`${path}/resync`)]) {
      const { status, headers, body } = await ask();
      expect([status, body.code], JSON.stringify(body)).to.deep.equal([503, 'chat_platform_unavailable']);
      expect(Number(headers.get('retry-after'))).to.be.within(aDay - 60, aDay + 1);
    }
  });

  for (const lane of ['press', 'join', 'single', 'read', 'bulk'] satisfies Lane[]) {
    it(`A read and a write that a person waits for in the lane ${lane} end with the time`, async () => {
      const read = () => callDiscord((rest) => rest.get(Routes.guildChannels(guild.guildId)));
      putOff(/^GET .*\/channels$/);
      expectTold(await refusal(awaited(lane, read)));
      putOff(/^PUT .*\/roles\/\d+$/);
      const { id } = discord.addRole(guild.guildId, { name: 'Late' });
      const give = () => giveRole(guild.guildId, memberId, id, { reason: 'test' });
      expectTold(await refusal(awaited(lane, give)));
      // The limit is known now, so that nothing is sent.
      const sent = discord.requests.length;
      expect(await refusal(awaited(lane, read))).to.be.instanceOf(HeldBack);
      expect(await refusal(awaited(lane, give))).to.be.instanceOf(HeldBack);
      expect(discord.requests.length).to.equal(sent);
    });
  }

  for (const lane of ['join', 'single', 'bulk'] satisfies Lane[]) {
    // SYNC-140
    it(`Work that nobody waits for in the lane ${lane} gives its place free, and asks Discord no more meanwhile`, async () => {
      putOff(/^GET .*\/channels$/);
      const read = () => callDiscord((rest) => rest.get(Routes.guildChannels(guild.guildId)));
      expectTold(await refusal(inLane(lane, read)));
      const sent = discord.requests.length;
      expect(await refusal(inLane(lane, read))).to.be.instanceOf(HeldBack);
      expect(discord.requests.length).to.equal(sent);
    });
  }

  it('A call that nobody waits for is made when Discord lets it', async () => {
    discord.inject({ match: /^GET .*\/channels$/, status: 429, retryAfter: 1, times: 1 });
    const answer = await inLane('single', () => callDiscord((rest) => rest.get(Routes.guildChannels(guild.guildId))));
    expect(answer).to.be.an('array');
  });

  it('A call that Discord doesn’t answer in the time that a person waits ends', async () => {
    patience.longestMs = 50;
    const letGo = discord.inject({ match: /^GET .*\/channels$/, held: true, times: 1 });
    const read = () => callDiscord((rest) => rest.get(Routes.guildChannels(guild.guildId)));
    expect(await refusal(awaited('press', read))).to.be.instanceOf(ChatPlatformUnavailable);
    letGo();
  });

  it('A person is told the time in their language', async () => {
    putOff(new RegExp(`^GET .*/guilds/${guild.guildId}/members/`));
    const { body } = await guild.api.get(`${guild.path}/members/${memberId}?fresh=true`, { 'accept-language': 'de' });
    expect(body.detail).to.match(/^Discord lässt das den Bot erst später tun. Versuche es in 86\.40\d Sekunden/);
  });
});
