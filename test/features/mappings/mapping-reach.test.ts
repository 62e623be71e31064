import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { enabledMappings } from '../../../src/features/mappings/mapping-service.js';
import { readGuildFacts } from '../../../src/platforms/discord/guild-facts.js';
import { privateWords } from '../../commands/private-answer.js';
import { type Api, type ApiAnswer, api, asPerson } from '../../support/api.js';
import { buildGuild, eventually, type TestGuild, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildDiscordAdmin, buildTeammate } from '../team/team-setup.js';

const draft = (...roleIds: string[]) => ({ condition: { type: 'verified' }, roleIds });

/** AUTH-42: no person maps a role that is not below their own highest on Discord, through any door. */
describe('The roles that an actor may map', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  /** A server manager with `own` as highest role, between `low` and `boss`, which has Administrator. */
  let manager: Awaited<ReturnType<typeof buildDiscordAdmin>>;
  let low: string;
  let boss: string;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    low = discord.addRole(guild.guildId, { name: 'Low', position: 1 }).id;
    manager = await buildDiscordAdmin(guild);
    const permissions = PermissionFlagsBits.Administrator;
    boss = discord.addRole(guild.guildId, { name: 'Boss', permissions }).id;
    discord.moveRole(guild.guildId, low, 1);
    discord.moveRole(guild.guildId, manager.roleId, 2);
    discord.moveRole(guild.guildId, boss, 3);
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 9);
    await eventually(async () => {
      const { roles, bot } = await readGuildFacts(guild.guildId);
      const inOrder = [low, manager.roleId, boss].map((id) => roles.get(id)?.position);
      return bot.highestRole.position > 3 && inOrder.join() === '1,2,3';
    }, 'the order of roles');
  });

  const mapped = async () => (await enabledMappings(guild.guildId)).map(({ roleIds }) => roleIds);
  const ask = (caller: Api, path: string, body: object): Promise<ApiAnswer> =>
    caller.post(`${guild.path}/${path}`, body);
  const expectRefused = ({ status, body }: ApiAnswer, name: string) => {
    expect({ status, code: body.code }, JSON.stringify(body)).to.deep.equal({ status: 403, code: 'forbidden' });
    expect(body.detail).to.equal(`You can only map roles below your own highest role: ${name}.`);
  };

  it('A manager of the server maps no Administrator over REST, nor the role that they hold', async () => {
    expectRefused(await ask(manager.api, 'mappings', draft(low, boss)), 'Boss');
    expectRefused(await ask(manager.api, 'mappings', draft(manager.roleId)), 'Staff');
    const { status, body } = await ask(manager.api, 'mappings', draft(low));
    expect(status).to.equal(201);
    const widened = await manager.api.put(`${guild.path}/mappings/${body.mappingId}`, draft(low, boss));
    expectRefused(widened, 'Boss');
    expect(await mapped()).to.deep.equal([[low]]);
  });

  // AUTH-43, AUTH-44
  it('A token maps no more than its maker, an outsider nothing; the owner and the command line map all', async () => {
    const made = await ask(manager.api, 'tokens', { name: 'mine', role: 'admin' });
    const mine = api(made.body.token);
    expectRefused(await ask(mine, 'mappings', draft(boss)), 'Boss');
    expect((await ask(mine, 'mappings', draft(low))).status).to.equal(201);
    const outsider = await buildTeammate(guild, 'admin');
    expectRefused(await ask(outsider.api, 'mappings', draft(low)), 'Low');
    const owner = await asPerson({ chatUserId: guild.ownerId, username: 'owner' });
    const ofOwner = api((await ask(owner, 'tokens', { name: 'of the owner', role: 'admin' })).body.token);
    const platform = api(await tokenFor('*', 'admin'));
    for (const caller of [owner, ofOwner, api(await tokenFor(guild.guildId, 'admin')), platform]) {
      expect((await ask(caller, 'mappings', draft(boss))).status).to.equal(201);
    }
    expect(await mapped()).to.have.length(5);
  });

  // CONF-23
  it('A mapping import refuses lines with a role above the caller’s own, and creates the others', async () => {
    const mappings = [draft(boss), draft(low), { ...draft(low, boss), name: 'both' }];
    const { status, body } = await ask(manager.api, 'mappings/import', { mappings, dryRun: false });
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.refused.map(({ line, code }: { line: number; code: string }) => `${line} ${code}`)).to.deep.equal([
      '1 forbidden',
      '3 forbidden',
    ]);
    expect(await mapped()).to.deep.equal([[low]]);
  });

  it('A preview refuses drafts with a role above the caller’s own, unless it is mapped already', async () => {
    expectRefused(await ask(manager.api, 'sync/preview', { mappings: [draft(boss)] }), 'Boss');
    expect((await ask(guild.api, 'mappings', draft(boss))).status).to.equal(201);
    const both = { mappings: [draft(boss), draft(low)] };
    expect((await ask(manager.api, 'sync/preview', both)).status).to.equal(200);
  });

  it('The command /mapping verified refuses a role above the caller’s own', async () => {
    const add = (role: string, chatUserId: string) =>
      discord.command(guild.guildId, chatUserId, 'mapping verified', { role });
    const words = await privateWords(add(boss, manager.chatUserId));
    expect(words).to.equal('You can only map roles below your own highest role: Boss.');
    await privateWords(add(low, manager.chatUserId));
    await privateWords(add(boss, guild.ownerId));
    expect(await mapped()).to.deep.equal([[low], [boss]]);
  });
});
