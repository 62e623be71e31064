import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import { readSettings } from '../../src/core/settings/settings-service.js';
import { listAllMappings } from '../../src/features/mappings/mapping-service.js';
import { readMove } from '../../src/features/setup/server-move.js';
import { setSettings } from '../features/sync/sync-setup.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { withPromptSyncs } from '../support/background.js';
import { buildGuild, buildMember, eventually, type TestGuild } from '../support/build.js';
import { factsWhere } from '../support/events.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer } from './private-answer.js';

// OBS-95
describe('Coming from another bot, in Discord', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: TestGuild;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGuild();
    const bot = { name: 'Bloxlink', permissions: PermissionFlagsBits.ManageRoles, managed: true };
    discord.addRole(guild.guildId, bot);
    await eventually(async () => (await readMove(guild.guild)).otherBots.length === 1, 'the other bot');
  });

  const answerTo = (message: SandboxMessage, label: string) =>
    privateAnswer(discord.press(guild.guildId, guild.ownerId, message, label));
  const command = (name: string, options: Record<string, string> = {}) =>
    discord.command(guild.guildId, guild.ownerId, name, options);

  it('People are passed over where none come along', async () => {
    const setup = await privateAnswer(command('setup'));
    const people = await answerTo(await answerTo(setup, 'Coming from another bot?'), 'Observe first');
    const rules = await answerTo(people, 'Skip');
    expect(rules.words).to.contain('✅ **People** · skipped').and.contain('▶️ **Rules**');
  });

  // PEOPLE-31
  it('Beside another bot, an import of rules asks first whether to observe', async () => {
    const role = discord.addRole(guild.guildId, { name: 'Crew' }).id;
    const file = () => discord.upload('rules.csv', `condition,group,roles\nverified,,${role}\n`);
    const review = async () => privateAnswer(command('import', { from: 'csv', file: file() }));
    await eventually(async () => labelsOf(await review()).length === 2, 'the role');
    const shown = await review();
    expect(labelsOf(shown)).to.deep.equal(['Observe first', 'Apply now']);
    expect(shown.words).to.contain('Another bot may give roles here too: Bloxlink.');
    await answerTo(shown, 'Observe first');
    expect((await readSettings(guild.guildId)).mode).to.equal('observe');
    expect(await listAllMappings(guild.guildId)).to.have.length(1);
    const again = await privateAnswer(
      command('import', {
        from: 'csv',
        file: discord.upload('rules.csv', `condition,group,roles\nunverified,,${role}\n`),
      }),
    );
    expect(labelsOf(again)).to.deep.equal(['Import 1']);
  });

  // OBS-8
  it('While the server observes, each answer about roles says so', async () => {
    const person = await buildMember(guild);
    await setSettings(guild, { mode: 'observe' });
    const said = /Rolelink is only observing/;
    await discord.command(guild.guildId, person.chatUserId, 'why').then((asked) => asked.replyMatching(said));
    for (const name of ['preview', 'update', 'resync start', 'resync status']) {
      await (await command(name)).replyMatching(said);
    }
  });

  // OBS-8
  it('While the server observes, each answer to a change says that no member is changed', async () => {
    const role = discord.addRole(guild.guildId, { name: 'Crew' }).id;
    await factsWhere(guild.guildId, ({ roles }) => roles.has(role), 'the role');
    const says = async (name: string, options: Record<string, string> = {}) => {
      const { words } = await privateAnswer(command(name, options));
      return words.includes('This server only observes: no member is changed');
    };
    expect(await says('settings mode', { mode: 'observe' })).to.equal(true);
    expect(await says('mapping add', { role, type: 'premium' })).to.equal(true);
    const [mapping] = (await listAllMappings(guild.guildId)).map(({ _id }) => _id);
    for (const name of ['edit', 'off', 'on', 'confirm', 'remove'])
      expect(
        await says(`mapping ${name}`, { mapping: mapping ?? '', ...(name === 'edit' && { name: 'Crew' }) }),
        name,
      ).to.equal(true);
    expect(await says('settings set', { nickname_template: 'X {gameUsername}' }), 'settings').to.equal(true);
    expect(await says('settings mode', { mode: 'enforce' })).to.equal(false);
    expect(await says('mapping add', { role, type: 'premium' }), 'a server that gives roles').to.equal(false);
  });
});
