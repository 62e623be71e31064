import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { parse, stringify } from 'yaml';
import { config as current, useConfig } from '../../src/config/config.js';
import { readConfig } from '../../src/features/configuration/config-service.js';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { readGivenFile } from '../../src/platforms/discord/attachments.js';
import { addRole, buildGroupGuild, mapTo } from '../features/sync/sync-setup.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { buildMember, type TestGuild } from '../support/build.js';
import { factsWhere } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

// CONF-31, CONF-32
describe('/config', () => {
  let discord: World['discord'];
  let guild: TestGuild;
  let roleId: string;

  beforeEach(async () => {
    ({ discord } = await world());
    const grouped = await buildGroupGuild();
    guild = grouped;
    roleId = await addRole(grouped, { name: 'Verified' });
    await mapTo(grouped, { type: 'verified' }, { roleIds: [roleId] });
    await buildMember(guild);
  });

  const use = (name: string, options = {}, chatUserId = guild.ownerId) =>
    privateAnswer(discord.command(guild.guildId, chatUserId, name, options));
  const apply = (content: string | Buffer, url?: string) =>
    use('config apply', { file: discord.upload('config.yaml', content, url) });
  const press = (message: SandboxMessage, label: string) =>
    privateAnswer(discord.press(guild.guildId, guild.ownerId, message, label));
  const config = async () => (await readConfig(guild.guild)).config;
  const addOtherBot = async () => {
    const bot = { name: 'Bloxlink', permissions: PermissionFlagsBits.ManageRoles, managed: true };
    const { id } = discord.addRole(guild.guildId, bot);
    await factsWhere(guild.guildId, ({ roles }) => roles.has(id), 'the other bot');
  };
  const changed = async () => stringify({ ...(await config()), mappings: [] });

  // CONF-30
  it('/config export gives viewers a file that applies again without a change', async () => {
    const { chatUserId } = await buildDiscordManager(guild);
    await distrustDiscordAdmins(guild);
    await giveTeamRole(guild, chatUserId, 'viewer');
    const message = await use('config export', {}, chatUserId);
    const [file] = message.attachments;
    expect(file?.filename).to.equal(`rolelink-${guild.guildId}.yaml`);
    expect(parse(file?.text ?? '')).to.deep.equal(JSON.parse(JSON.stringify(await config())));
    expect((await apply(file?.text ?? '')).words).to.contain('Nothing would change');
    const theirs = { file: discord.upload('config.yaml', file?.text ?? '') };
    const refused = await use('config apply', theirs, chatUserId);
    expect(refused.words).to.equal('You need the team role admin in this server.');
  });

  it('/config apply shows the changes of a file and the number of people affected, and makes them once confirmed', async () => {
    const wish = await config();
    wish.settings.nickname.template = 'X {gameUsername}';
    const mapping = { name: 'New`', condition: { type: 'unverified' }, roles: ['Verified'] };
    const review = await apply(JSON.stringify({ ...wish, mappings: [mapping] }));
    expect(review.words)
      .to.contain('`+` New\\`: not verified → Verified\n`-` verified → Verified\n`~` nickname.template')
      .and.contain('2 members would get or lose something. 2 were checked');
    expect(await listAllMappings(guild.guildId), 'nothing yet').to.have.length(1);
    expect(labelsOf(review)).to.deep.equal(['Apply 3 changes']);
    const done = await press(review, 'Apply 3 changes');
    expect(done.words).to.contain('3 changes were made');
    expect((await config()).mappings.map(({ name }) => name)).to.deep.equal(['New`']);
    expect((await config()).settings.nickname.template).to.equal('X {gameUsername}');
    await press(done, 'Undo');
    expect((await config()).mappings.map(({ condition }) => condition)).to.deep.equal([{ type: 'verified' }]);
  });

  it('/config apply makes exactly the changes it has shown, to exactly the state it was shown for', async () => {
    const first = await apply(await changed());
    const second = await apply(
      stringify({
        ...(await config()),
        mappings: [],
        settings: { ...(await config()).settings, autoLinkOnJoin: false },
      }),
    );
    expect((await press(first, 'Apply 1 change')).words).to.contain('has been replaced');
    await guild.api.post(`${guild.path}/mappings`, { condition: { type: 'unverified' }, roleIds: [roleId] });
    expect((await press(second, 'Apply 2 changes')).words).to.contain('changed since you read it');
    expect(await listAllMappings(guild.guildId)).to.have.length(2);
  });

  it('/config apply refuses a text that is no configuration, and explains it', async () => {
    expect((await apply('a: *b')).words).to.contain('cannot be read');
    expect((await apply('groups: []')).words)
      .to.contain('- mappings:')
      .and.contain('- settings:');
    expect((await apply(Buffer.of(0xff, 0xfe, 0x00))).words).to.contain("- file: isn't UTF-8 text");
    expect((await apply(`# ${'x'.repeat(1024 * 1024)}`)).words).to.contain('is larger than 1,024 KiB');
    const wish = await config();
    const unknown = { ...wish, mappings: [{ name: null, condition: { type: 'verified' }, roles: ['Nobody'] }] };
    expect((await apply(stringify(unknown))).words).to.contain('- mappings.0');
  });

  // CONF-61
  it('Beside another bot /config apply asks first, and Observe first applies the same file with observing, in one change', async () => {
    await addOtherBot();
    const review = await apply(await changed());
    expect(review.words).to.contain('Another bot may give roles here too: Bloxlink.');
    expect(labelsOf(review)).to.deep.equal(['Observe first', 'Apply now']);
    const done = await press(review, 'Observe first');
    expect(done.words).to.contain('2 changes were made').and.contain('only observes').and.not.contain('next update');
    expect(await config()).to.deep.include({
      mappings: [],
      settings: { ...(await config()).settings, mode: 'observe' },
    });
    await press(done, 'Undo');
    expect((await config()).settings.mode).to.equal('enforce');
    expect(await listAllMappings(guild.guildId)).to.have.length(1);
    const now = await press(await apply(await changed()), 'Apply now');
    expect(now.words).to.contain('1 change was made');
    expect((await config()).settings.mode).to.equal('enforce');
  });

  // CONF-61
  it('/config apply asks about another bot before a file that ends the observing, and not before one that begins it', async () => {
    await addOtherBot();
    const was = await config();
    const review = await apply(stringify({ ...was, settings: { ...was.settings, mode: 'observe' } }));
    expect(labelsOf(review)).to.deep.equal(['Apply 1 change']);
    expect((await press(review, 'Apply 1 change')).words).to.contain('only observes');
    const live = await apply(stringify({ ...was, mappings: [] }));
    expect(labelsOf(live)).to.deep.equal(['Observe first', 'Apply now']);
    expect((await press(live, 'Observe first')).words).to.contain('1 change was made');
    expect((await config()).settings.mode).to.equal('observe');
  });

  // CONF-33
  it('/config apply reads files from nowhere but Discord, and no more than was allowed', async () => {
    const { url } = await world();
    expect((await apply('{}', `${url}/healthz`)).words).to.contain('on its own hosts');
    const id = discord.upload('long', 'x'.repeat(2048));
    const long = `${discord.url}/attachments/${id}/long`;
    const lied = await readGivenFile({ url: long, size: 1 }, 1024).catch((error) => error.issues);
    expect(lied).to.deep.equal([{ path: 'file', message: 'is larger than 1 KiB' }]);
    const gone = await readGivenFile({ url: `${discord.url}/attachments/1/none`, size: 1 }, 1024).catch(
      (error) => error,
    );
    expect(gone).to.include({ code: 'chat_platform_unavailable' });
  });

  // CONF-27
  // CONF-33
  it('/config apply reads no file behind a redirect', async () => {
    const secret = createServer((request, response) => {
      if (request.url !== '/secret') response.writeHead(302, { location: '/secret' });
      response.end('secret');
    }).listen(0, '127.0.0.1');
    await once(secret, 'listening');
    const url = `http://127.0.0.1:${(secret.address() as AddressInfo).port}`;
    const usual = current();
    useConfig({ ...usual, discord: { ...usual.discord, apiUrl: `${url}/api` } });
    try {
      expect(await readGivenFile({ url: `${url}/secret`, size: 1 }, 1024)).to.equal('secret');
      const refused = await readGivenFile({ url: `${url}/moved`, size: 1 }, 1024).catch((error) => error);
      expect(refused).to.include({ code: 'chat_platform_unavailable' });
    } finally {
      useConfig(usual);
      secret.close();
    }
  });

  it('/import accepts a file too, when its kind is named', async () => {
    const csv = `condition,roles\nunverified,${roleId}\n`;
    const file = () => discord.upload('roles.csv', csv);
    expect(await privateWords(discord.command(guild.guildId, guild.ownerId, 'import', { file: file() }))).to.contain(
      '- from: choose where the file comes from',
    );
    const review = await use('import', { file: file(), from: 'csv' });
    expect(review.words).to.contain('1 mapping');
    const done = await press(review, 'Import 1');
    expect(done.words).to.contain('1 mapping was imported');
    await press(done, 'Undo');
    expect(await listAllMappings(guild.guildId)).to.have.length(1);
  });
});
