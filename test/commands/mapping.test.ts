import { expect } from 'chai';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { buildGuild, buildMember, type TestGuild } from '../support/build.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

let discord: World['discord'];
let guild: TestGuild;
let group: ReturnType<World['roblox']['addGroup']>;
let roleId: string;

/** Gives each test a guild with a group and a role. */
function withGroup(): void {
  beforeEach(async () => {
    const { roblox } = await world();
    ({ discord } = await world());
    guild = await buildGuild();
    group = roblox.addGroup({ name: 'Builders' });
    roleId = discord.addRole(guild.guildId, { name: 'Builder' }).id;
    await guild.api.post(`${guild.path}/groups`, { groupId: group.id });
  });
}

const add = (options: Record<string, string | number | boolean>, chatUserId = guild.ownerId) =>
  discord.command(guild.guildId, chatUserId, 'mapping add', options);
const stored = async () => await listAllMappings(guild.guildId);

const linesOf = (message: SandboxMessage) => message.embeds[0]?.description?.split('\n') ?? [];

describe('/mapping add', () => {
  withGroup();

  it('/mapping add accepts a name, several roles and whether to remove them', async () => {
    const other = discord.addRole(guild.guildId, { name: 'Other' }).id;
    const first = { role: roleId, role2: other, role3: other, type: 'unverified', remove_when_unmatched: false };
    expect(await privateWords(add(first))).to.contain('Mapping added');
    await privateWords(add({ role: roleId, type: 'premium', name: 'Payers' }));
    const both = { enabled: true, nickname: null };
    const unverified = {
      removeWhenUnmatched: false,
      name: null,
      roleIds: [roleId, other],
      condition: { type: 'unverified' },
    };
    const premium = { removeWhenUnmatched: true, name: 'Payers', roleIds: [roleId], condition: { type: 'premium' } };
    const made = (await stored()).map(({ _id, guildId, createdAt, updatedAt, outbox, ...made }) => made);
    expect(made).to.have.deep.members([
      { ...both, ...unverified },
      { ...both, ...premium },
    ]);
  });

  // DISC-31
  it('/mapping add offers only types that have no command of their own', async () => {
    for (const type of ['verified', 'group_member', 'group_rank', 'group_role', 'group_roles']) {
      const refused = await add({ role: roleId, type }).catch((error: Error) => error.message);
      expect(refused, type).to.be.a('string').and.match(/type/);
    }
  });

  it('/mapping add maps by Premium, age and items', async () => {
    expect(await privateWords(add({ role: roleId, type: 'premium' }))).to.contain('has Roblox Premium');
    expect(await privateWords(add({ role: roleId, type: 'account_age', days: 30 }))).to.contain('at least 30 days old');
    const item = 'https://www.roblox.com/badges/4711/Welcome';
    expect(await privateWords(add({ role: roleId, type: 'owns_badge', item }))).to.contain('owns the badge 4711');
    expect(await privateWords(add({ role: roleId, type: 'owns_asset', item: 'a hat' }))).to.contain('- item: ');
    expect(await privateWords(add({ role: roleId, type: 'account_age' }))).to.contain('- days: ');
    expect((await stored()).map(({ condition }) => condition)).to.deep.equal([
      { type: 'premium' },
      { type: 'account_age', days: 30 },
      { type: 'owns_item', kind: 'badge', id: '4711' },
    ]);
  });

  it('/mapping add refuses a role above the bot and names the remedy', async () => {
    const above = discord.addRole(guild.guildId, { name: 'Boss', position: 90 }).id;
    const words = await privateWords(add({ role: above, type: 'unverified' }));
    expect(words).to.contain("The role Boss isn't below the bot").and.contain('Drag');
    expect(await stored()).to.deep.equal([]);
  });

  it('/mapping add refuses a role that is not below the asker’s highest', async () => {
    const manager = await buildDiscordManager(guild, 1);
    discord.moveRole(guild.guildId, discord.botRole(guild.guildId).id, 90);
    const words = await privateWords(add({ role: roleId, type: 'unverified' }, manager.chatUserId));
    expect(words).to.equal('You can only map roles below your own highest role: Builder.');
    expect(await stored()).to.deep.equal([]);
    await privateWords(add({ role: roleId, type: 'unverified' }, guild.ownerId));
    expect(await stored(), 'the owner may').to.have.length(1);
  });

  it('/mapping role suggests groups, and the roles of the group that was chosen', async () => {
    const suggest = (name: string, value = '', chatUserId = guild.ownerId) =>
      discord.autocomplete(guild.guildId, chatUserId, 'mapping role', { name, value }, { group: group.id });
    expect(await suggest('group', 'build')).to.deep.equal([{ name: `Builders (${group.id})`, value: group.id }]);
    const names = (await suggest('game_role')).map(({ name }) => name);
    expect(names).to.deep.equal(['Owner (rank 255)', 'Officer (rank 100)', 'Member (rank 1)']);

    const manager = await buildDiscordManager(guild);
    await distrustDiscordAdmins(guild);
    expect(await suggest('group', '', manager.chatUserId), 'not for outsiders').to.deep.equal([]);
  });
});

// DISC-2
describe('Access to /mapping', () => {
  withGroup();

  it('Discord shows /mapping only to members with Manage Server', async () => {
    const person = await buildMember(guild);
    const asked = await discord.command(guild.guildId, person.chatUserId, 'mapping list').catch((error) => error);
    expect(asked).to.be.instanceOf(Error).with.property('message').that.contains('not shown');
  });

  it('A viewer may list mappings with /mapping and add none, whatever Discord’s permission', async () => {
    const manager = await buildDiscordManager(guild, 1);
    await distrustDiscordAdmins(guild);
    const list = () => discord.command(guild.guildId, manager.chatUserId, 'mapping list');
    expect(await privateWords(list())).to.equal('You need the team role viewer in this server.');
    await giveTeamRole(guild, manager.chatUserId, 'viewer');
    expect(await privateWords(list())).to.contain('There are no mappings yet');
    const words = await privateWords(add({ role: roleId, type: 'unverified' }, manager.chatUserId));
    expect(words).to.equal('You need the team role manager in this server.');
    expect(await stored()).to.deep.equal([]);
  });
});

describe('/mapping list, off, on and remove', () => {
  withGroup();

  it('/mapping list goes page by page, in place', async () => {
    for (let count = 1; count <= 12; count += 1) {
      const name = `Mapping ${count}`;
      await guild.api.post(`${guild.path}/mappings`, { name, condition: { type: 'verified' }, roleIds: [roleId] });
    }
    discord.deleteRole(guild.guildId, roleId);
    const first = await privateAnswer(discord.command(guild.guildId, guild.ownerId, 'mapping list'));
    expect(linesOf(first)).to.have.length(10);
    expect(first.words).to.contain('⚠️ one of its roles no longer exists');
    expect(labelsOf(first)).to.deep.equal(['Next page', 'Open dashboard']);
    const second = await privateAnswer(discord.press(guild.guildId, guild.ownerId, first, 'Next page'));
    expect(second.id).to.equal(first.id);
    const names = [...linesOf(first), ...linesOf(second)].map(
      (line) => /^\*\*(Mapping \d+)\*\*: verified/.exec(line)?.[1],
    );
    expect(new Set(names)).to.have.length(12);
    expect(labelsOf(second)).to.deep.equal(['Open dashboard']);
  });

  it('A manager switches a mapping off and on again with /mapping', async () => {
    await privateWords(add({ role: roleId, type: 'unverified', name: 'Everybody' }));
    const mapping = (await stored())[0]?._id ?? '';
    const use = (name: string) => privateWords(discord.command(guild.guildId, guild.ownerId, name, { mapping }));
    expect(await use('mapping off'))
      .to.contain('Mapping turned off')
      .and.contain('turned off');
    expect((await stored())[0]).to.include({ enabled: false, name: 'Everybody' });
    expect(await use('mapping on')).to.contain('Mapping turned on');
    expect((await stored())[0]).to.include({ enabled: true });
  });

  it('/mapping remove removes the mapping that was chosen from the suggestions', async () => {
    await privateWords(add({ role: roleId, type: 'unverified', name: 'Keep' }));
    await privateWords(discord.command(guild.guildId, guild.ownerId, 'mapping member', { role: roleId }));
    const focused = { name: 'mapping', value: 'builders' };
    const [choice, ...others] = await discord.autocomplete(guild.guildId, guild.ownerId, 'mapping remove', focused);
    expect(choice?.name).to.equal('member of Builders');
    expect(others).to.deep.equal([]);
    const mapping = choice?.value ?? '';
    const remove = () => discord.command(guild.guildId, guild.ownerId, 'mapping remove', { mapping });
    expect(await privateWords(remove())).to.contain('Mapping removed');
    expect((await stored()).map(({ name }) => name)).to.deep.equal(['Keep']);
    expect(await privateWords(remove())).to.equal('There is no such mapping in this server.');
  });
});
