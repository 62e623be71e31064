import { expect } from 'chai';
import { noRestrictions } from '../../../src/core/settings/restrictions.js';
import type { Condition } from '../../../src/features/mappings/condition.js';
import { privateWords } from '../../commands/private-answer.js';
import type { DiscordSandbox } from '../../sandbox/discord/discord-sandbox.js';
import type { RobloxSandbox } from '../../sandbox/roblox/roblox-sandbox.js';
import { withPromptSyncs } from '../../support/background.js';
import type { TestPerson } from '../../support/build.js';
import { world } from '../../support/world.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rankFrom,
  reconfigureRoblox,
  setSettings,
  sync,
} from './sync-setup.js';

// MAP-18, MAP-19, MAP-20
describe('Nicknames of mappings', () => {
  withPromptSyncs();
  let discord: DiscordSandbox;
  let roblox: RobloxSandbox;
  let guild: GroupGuild;
  let person: TestPerson;
  let roleId: string;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    person = await buildSettledMember(guild);
    roleId = await addRole(guild);
    await mapTo(guild, { type: 'verified' }, { roleIds: [roleId] });
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    reconfigureRoblox();
  });
  afterEach(() => roblox.clearFaults());

  const map = (condition: Condition, template: string, order?: number) =>
    guild.api.post(`${guild.path}/mappings`, {
      condition,
      roleIds: [roleId],
      nickname: { template, ...(order !== undefined && { order }) },
    });
  const named = async () => {
    await sync(guild, person);
    return discord.member(guild.guildId, person.chatUserId)?.nickname?.replace(person.gameUsername, 'GAME');
  };

  it('Nicknames of mappings go by their order and then by age, before the template of the settings', async () => {
    expect(await named()).to.equal('GAME');
    const officer = await map(rankFrom(guild, 100), `[{groupRole:${guild.groupId}}] {gameUsername}`);
    expect(officer.body.nickname).to.deep.equal({
      template: `[{groupRole:${guild.groupId}}] {gameUsername}`,
      order: 100,
    });
    await map({ type: 'verified' }, 'Later {gameUsername}');
    expect(await named()).to.equal('[Officer] GAME');
    await map({ type: 'verified' }, 'First {gameUsername}', 1);
    expect(await named()).to.equal('First GAME');
    const { body } = await guild.api.get(`${guild.path}/mappings`);
    for (const { mappingId, nickname, name, condition, roleIds } of body.data) {
      if (nickname !== null) await guild.api.put(`${guild.path}/mappings/${mappingId}`, { name, condition, roleIds });
    }
    expect(await named()).to.equal('GAME');
  });

  it('A sync leaves the nickname as it is while a mapping in front is undecided', async () => {
    await map({ type: 'owns_item', kind: 'badge', id: '1' }, 'Owner {gameUsername}', 1);
    roblox.setInventoryPrivate(person.gameUserId);
    discord.setNickname(guild.guildId, person.chatUserId, 'Whatever');
    expect(await named()).to.equal('Whatever');
  });

  // MAP-21, RESTR-3
  it('A restricted person gets no nickname from a mapping', async () => {
    await map({ type: 'verified' }, 'First {gameUsername}');
    await setSettings(guild, { restrictions: { ...noRestrictions, deniedGameUserIds: [person.gameUserId] } });
    expect(await named()).to.equal('GAME');
  });

  it('A nickname of a mapping is held to the rules of templates by the API, a configuration, an import and a command', async () => {
    const api = await map({ type: 'verified' }, '{rank} {groupRole:999999}');
    expect([api.status, api.body.errors.map(({ path }: { path: string }) => path)]).to.deep.equal([
      400,
      ['nickname.template', 'nickname.template'],
    ]);
    const { body: config } = await guild.api.get(`${guild.path}/config`);
    const [first, ...others] = config.mappings;
    const wish = { ...config, mappings: [{ ...first, nickname: { template: '{rank}', order: 1 } }, ...others] };
    const applied = await guild.api.put(`${guild.path}/config`, wish);
    expect(applied.status, JSON.stringify(applied.body)).to.equal(400);
    expect([applied.status, applied.body.errors[0].path]).to.deep.equal([400, 'mappings.0.nickname.template']);
    const imported = await guild.api.post(`${guild.path}/mappings/import`, {
      mappings: [{ condition: { type: 'unverified' }, roleIds: [roleId], nickname: { template: '{rank}' } }],
    });
    expect(imported.body.refused).to.have.length(1);
    const command = discord.command(guild.guildId, guild.ownerId, 'mapping verified', {
      ...{ role: roleId, nickname_template: '{rank}' },
    });
    expect(await privateWords(command)).to.contain('has no placeholder {rank}');
  });

  it('/mapping add sets a nickname, and /mapping edit removes it', async () => {
    const use = (command: string, options: Record<string, string | number>) =>
      privateWords(discord.command(guild.guildId, guild.ownerId, command, options));
    const added = { type: 'unverified', role: roleId, nickname_template: 'Guest {gameUsername}', nickname_order: 5 };
    expect(await use('mapping add', added)).to.contain('nickname `Guest {gameUsername}` (order 5)');
    const { body } = await guild.api.get(`${guild.path}/mappings`);
    const mapping = body.data.find(({ nickname }: { nickname: object | null }) => nickname !== null).mappingId;
    await use('mapping edit', { mapping, nickname_template: 'none' });
    expect((await guild.api.get(`${guild.path}/mappings/${mapping}`)).body.nickname).to.equal(null);
  });

  // MAP-22
  it('A group that a mapping’s nickname shows cannot be detached', async () => {
    const { id: groupId } = roblox.addGroup({ name: 'Second' });
    await guild.api.post(`${guild.path}/groups`, { groupId });
    expect((await map({ type: 'verified' }, `{groupRole:${groupId}}`)).status).to.equal(201);
    const refused = await guild.api.delete(`${guild.path}/groups/${groupId}`);
    expect([refused.status, refused.body.code]).to.deep.equal([409, 'group_in_use']);
  });
});
