import { expect } from 'chai';
import { inLane } from '../../../src/lib/lane.js';
import { readMember } from '../../../src/platforms/discord/guild-members.js';
import { api } from '../../support/api.js';
import { buildMember, eventually, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { addRole, buildGroupGuild, buildSettledMember, type GroupGuild } from '../sync/sync-setup.js';

let discord: World['discord'];
let guild: GroupGuild;
let path: string;
let memberId: string;

/** The calls for a single member, in the guild. */
const readings = () =>
  discord.requests.filter(({ method, path: called }) => method === 'GET' && /\/members\/\d+$/.test(called)).length;

// API-176
describe('Reads of a member over HTTP', () => {
  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    ({ chatUserId: memberId } = await buildSettledMember(guild));
    path = `${guild.path}/members/${memberId}`;
  });

  afterEach(() => discord.clearFaults());

  it('Reads of a member that the gateway knows cost no call, and show each change that it reports', async () => {
    const viewer = api(await tokenFor(guild.guildId, 'viewer'));
    await viewer.get(`${path}?fresh=true`);
    discord.forgetRequests();
    const before = new Date().toISOString();
    for (let read = 0; read < 20; read += 1) {
      const { status, body } = await viewer.get(read % 2 === 0 ? path : `${path}/why`);
      expect(status).to.equal(200);
      expect(body.asOf >= before).to.equal(true);
    }
    expect(readings()).to.equal(0);
    const given = await addRole(guild);
    discord.setMemberRoles(guild.guildId, memberId, [given]);
    await eventually(async () => (await viewer.get(path)).body.rolesHeld?.includes(given), 'the reported role');
    expect(readings()).to.equal(0);
    discord.leave(guild.guildId, memberId);
    await eventually(async () => (await viewer.get(path)).body.rolesHeld === null, 'the reported leaving');
    expect(readings()).to.equal(0);
    expect((await viewer.get(`${path}?fresh=true`)).body.rolesHeld).to.equal(null);
    expect(readings()).to.equal(1);
  });

  it('A read of a deleted role’s holder does not show that role', async () => {
    const deleted = await addRole(guild);
    discord.setMemberRoles(guild.guildId, memberId, [deleted]);
    expect((await guild.api.get(`${path}?fresh=true`)).body.rolesHeld).to.include(deleted);
    discord.deleteRole(guild.guildId, deleted);
    await eventually(async () => !(await guild.api.get(path)).body.rolesHeld.includes(deleted), 'the deleted role');
  });

  it('A read that would wait for Discord is 503 with a time, and so is a fresh one of a known member', async () => {
    const { chatUserId: unknown } = await buildMember(guild, { linked: false });
    await guild.api.get(`${path}?fresh=true`);
    const match = new RegExp(`^GET .*/guilds/${guild.guildId}/members/`);
    const letGo = discord.inject({ match, held: true, times: 1 });
    const busy = inLane('press', () => readMember(guild.guildId, unknown));
    const [held, fresh, known] = await Promise.all([
      guild.api.get(`${guild.path}/members/${unknown}/why`),
      guild.api.get(`${path}?fresh=true`),
      guild.api.get(path),
    ]);
    letGo();
    await busy;
    expect([held.status, held.body.code, held.headers.get('retry-after')]).to.deep.equal([
      503,
      'chat_platform_unavailable',
      '1',
    ]);
    expect(fresh.status).to.equal(503);
    expect(known.status).to.equal(200);
    expect((await guild.api.get(`${guild.path}/members/${unknown}/why`)).status).to.equal(200);
  });
});
