import { expect } from 'chai';
import { findMember, memberSeen } from '../../src/features/members/member-service.js';
import { mapTo } from '../features/sync/sync-setup.js';
import { buildGuild, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { privateWords } from './private-answer.js';

// DISC-5
describe('Bots in place of members', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let botId: string;

  before(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    botId = discord.memberIds(guild.guildId).find((id) => discord.user(id).bot) ?? '';
    await mapTo(guild, { type: 'unverified' });
  });
  beforeEach(() => discord.forgetRequests());

  const rolesOfBot = () => discord.member(guild.guildId, botId)?.roleIds;
  const expectUntouched = async (before: readonly string[] | undefined) => {
    expect(rolesOfBot()).to.deep.equal(before);
    const writes = discord.requests.filter(({ method, path }) => method !== 'GET' && path.includes('/members/'));
    expect(writes).to.deep.equal([]);
  };

  for (const [command, options] of [
    ['update', (id: string) => ({ member: id })],
    ['why', (id: string) => ({ member: id })],
    ['account', (id: string) => ({ member: id })],
    ['logs', (id: string) => ({ member: id })],
  ] as const) {
    it(`/${command} leaves a bot alone, and explains it`, async () => {
      const before = rolesOfBot();
      const words = await privateWords(discord.command(guild.guildId, guild.ownerId, command, options(botId)));
      expect(words).to.equal("Bots don't have Roblox accounts, so Rolelink ignores them.");
      await expectUntouched(before);
      expect(await findMember(guild.guildId, botId)).to.equal(null);
    });
  }

  it('The menu entry leaves a bot alone, and explains it', async () => {
    const asked = discord.contextMenu(guild.guildId, guild.ownerId, 'Roblox account', botId);
    expect(await privateWords(asked)).to.equal("Bots don't have Roblox accounts, so Rolelink ignores them.");
  });

  it('A bot is no member over the API, also where an older version has noted it', async () => {
    const before = rolesOfBot();
    await memberSeen(guild.guildId, { chatUserId: botId, username: 'Rolelink' });
    const path = `${guild.path}/members/${botId}`;
    const resync = await guild.api.post(`${path}/resync`);
    expect({ status: resync.status, code: resync.body.code }).to.deep.equal({ status: 404, code: 'member_not_found' });
    expect((await guild.api.get(`${path}/why`)).status).to.equal(404);
    const begun = await guild.api.post('/api/verification/session', {
      ...{ guildId: guild.guildId, method: 'profile_code', chatUserId: botId },
    });
    expect(begun.status).to.equal(404);
    await expectUntouched(before);
    expect(await findMember(guild.guildId, botId)).to.include({ present: false });
  });
});
