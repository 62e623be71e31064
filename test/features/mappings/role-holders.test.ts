import { expect } from 'chai';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { holdersWait } from '../../../src/platforms/discord/role-holders.js';
import { privateWords } from '../../commands/private-answer.js';
import { buildGuild, type TestGuild } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildRole, mapVerified } from './roles-setup.js';

const counts = /^GET .*\/guilds\/\d+\/roles\/member-counts$/;

// MAP-54
describe('The number of people with a role', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let roleId: string;
  const { longestMs } = holdersWait;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    roleId = await buildRole(guild, { name: 'Crew' });
    for (let person = 0; person < 3; person += 1) {
      const { id } = discord.addUser({ username: 'crew' });
      discord.join(guild.guildId, id, { roleIds: [roleId] });
    }
  });
  afterEach(() => {
    discord.clearFaults();
    clock.restore();
    holdersWait.longestMs = longestMs;
  });

  const asked = () => discord.requests.filter(({ method, path }) => counts.test(`${method} ${path}`)).length;
  const holders = async () => (await guild.api.get(`${guild.path}/roles/${roleId}`)).body.holders;
  const remove = (mapping: string) =>
    privateWords(discord.command(guild.guildId, guild.ownerId, 'mapping remove', { mapping }));
  const firstIssue = async () => (await guild.api.get(guild.path)).body.health[0];

  it('The holders of all roles of a server take one call in a minute, and a list has them only on request', async () => {
    const before = asked();
    const list = async (query: string) => (await guild.api.get(`${guild.path}/roles?limit=100${query}`)).body.data;
    expect((await list(''))[0]).not.to.have.property('holders');
    expect(asked()).to.equal(before);
    const found = await list('&holders=true');
    expect(found.find((role: { roleId: string }) => role.roleId === roleId)).to.include({ holders: 3 });
    // @everyone has no count.
    expect(found.at(-1)).to.include({ roleId: guild.guildId, holders: null });
    expect(await holders()).to.equal(3);
    expect(asked()).to.equal(before + 1);
    discord.join(guild.guildId, discord.addUser({ username: 'crew' }).id, { roleIds: [roleId] });
    clock.advance(minuteMs);
    expect(await holders()).to.equal(4);
    expect(asked()).to.equal(before + 2);
  });

  for (const [trouble, fault] of [
    ['refuses', { status: 403, body: { code: 50001, message: 'Missing Access' } }],
    ['fails', { status: 500 }],
    ['answers in another form', { reshape: () => ({ [1]: 'many' }) }],
  ] as const) {
    it(`The holders of a role are unknown, and asked for again after a minute, when Discord ${trouble}`, async () => {
      const mappingId = await mapVerified(guild, [roleId]);
      discord.moveRole(guild.guildId, roleId, 9);
      const undo = discord.inject({ match: counts, ...fault });
      const issue = await firstIssue();
      expect(issue).to.include({ code: 'role_above_bot', holders: null });
      expect(issue.detail).to.contain("Discord doesn't say right now how many members have Crew.");
      expect(await holders()).to.equal(null);
      expect(await remove(mappingId)).to.contain(`Discord doesn't say right now how many members have <@&${roleId}>.`);
      undo();
      expect(await holders()).to.equal(null);
      clock.advance(minuteMs);
      expect(await holders()).to.equal(3);
    });
  }

  it('A page does not wait longer than its patience for the holders of a role, and has them once they are there', async () => {
    holdersWait.longestMs = 1;
    const held = discord.hold({ match: counts });
    expect(await holders()).to.equal(null);
    await held.reached;
    held.letGo();
    holdersWait.longestMs = longestMs;
    expect(await holders()).to.equal(3);
  });

  // API-55, API-60
  it('The health of a server says how many people keep a role that can’t be taken', async () => {
    await mapVerified(guild, [roleId]);
    discord.moveRole(guild.guildId, roleId, 9);
    const issue = await firstIssue();
    expect(issue).to.include({ code: 'role_above_bot', roleId, holders: 3 });
    expect(issue.detail).to.match(/3 members have Crew\.$/);
  });

  it('The removal of a mapping says how many people keep each of its roles', async () => {
    const lonely = await buildRole(guild, { name: 'Lonely' });
    const words = await remove(await mapVerified(guild, [roleId, lonely]));
    expect(words).to.contain('Members keep the roles it gave them.');
    expect(words).to.contain(`3 members have <@&${roleId}>.`);
    expect(words).to.contain(`0 members have <@&${lonely}>.`);
  });
});
