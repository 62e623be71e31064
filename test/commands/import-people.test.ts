import { expect } from 'chai';
import { PermissionFlagsBits } from 'discord.js';
import sinon from 'sinon';
import { chatUser, systemActor } from '../../src/core/actors/actor.js';
import { following } from '../../src/edges/interactions/replies/followed-reply.js';
import { Accounts, wordId } from '../../src/features/accounts/account-model.js';
import { importReviewedPeople } from '../../src/features/people-import/people-import-draft.js';
import { PeopleImports } from '../../src/features/people-import/people-import-model.js';
import { eraseFromImports } from '../../src/features/people-import/people-import-service.js';
import { clock } from '../../src/lib/clock.js';
import { purgeRemembered } from '../../src/platforms/database/remembered.js';
import { endOfImport } from '../features/people-import/import-setup.js';
import type { SandboxMessage } from '../sandbox/discord/sandbox-message.js';
import { buildGuild, buildMember, eventually, linkPerson, type TestGuild, type TestPerson } from '../support/build.js';
import { remembered } from '../support/remembered-rows.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer, privateWords } from './private-answer.js';
import { buildDiscordManager, distrustDiscordAdmins, giveTeamRole } from './team.js';

const hourMs = 3_600_000;

// PEOPLE-19, DISC-17, DISC-18
describe('/import of people', () => {
  let discord: World['discord'];
  let sources: World['linkSources'];
  let guild: TestGuild;
  let person: TestPerson;

  before(async () => {
    ({ discord, linkSources: sources } = await world());
    sinon.replace(following, 'everyMs', 100);
  });
  after(() => sinon.restore());
  beforeEach(async () => {
    guild = await buildGuild();
    person = await buildMember(guild, { linked: false });
  });
  afterEach(() => {
    sources.faults.length = 0;
    sources.links.clear();
  });

  const lineOf = ({ chatUserId, gameUserId }: TestPerson) => `${chatUserId},${gameUserId}\n`;
  const command = (options: Record<string, string>, chatUserId = guild.ownerId) =>
    discord.command(guild.guildId, chatUserId, 'import', options);
  const review = (text: string, name = 'people.csv') =>
    privateAnswer(command({ people: 'list', file: discord.upload(name, text) }));
  const press = (message: SandboxMessage, label: string, chatUserId = guild.ownerId) =>
    discord.press(guild.guildId, chatUserId, message, label);
  const accountOf = async ({ chatUserId }: TestPerson) =>
    (await Accounts.findById(wordId(chatUserId, guild.guildId)).lean())?.gameUserId;
  const begun = () => PeopleImports.count({ guildId: guild.guildId });

  /** An import's review by another bot's API. */
  async function reviewBot(bot: string, key: string) {
    const form = await command({ people: bot });
    expect(form.modal?.fields.map(({ customId }) => customId)).to.deep.equal(['key']);
    expect(form.modal?.fields[0]?.placeholder, 'the origin of the key').to.include(`Create it on`);
    return privateAnswer(discord.submit(form, { key }));
  }

  it('A list as CSV is reviewed in numbers first and imported by the button', async () => {
    const shown = await review(`Discord,Roblox\n${lineOf(person)}100000000000000777,261\n`);
    expect(shown.words).to.include('1 account would be imported.').and.include('Not in this server: 1');
    expect(await begun()).to.equal(0);
    const pressed = await press(shown, 'Import 1');
    const ended = await pressed.replyMatching(/Import complete/);
    expect(labelsOf(ended)).to.deep.equal(['Undo']);
    const words = await pressed.text();
    expect(words).to.include('2 of 2 checked.').and.include('Imported: 1').and.include('<@100000000000000777>');
    expect(await accountOf(person)).to.equal(person.gameUserId);
    expect(await remembered('review_draft', { guildId: guild.guildId })).to.have.length(0);
  });

  // PEOPLE-27
  it('The button under an import that has ended takes it back', async () => {
    const shown = await review(lineOf(person));
    const pressed = await press(shown, 'Import 1');
    const ended = await pressed.replyMatching(/Import complete/);
    const taken = await press(ended, 'Undo');
    expect(labelsOf(await taken.replyMatching(/undone for 1 person/))).to.deep.equal([]);
    expect(await accountOf(person)).to.equal(undefined);
  });

  // PEOPLE-23, PEOPLE-26, PEOPLE-31
  it('A review names the effects on members, and asks first where another bot may give roles', async () => {
    const bot = { name: 'Rover', permissions: PermissionFlagsBits.ManageRoles, managed: true };
    discord.addRole(guild.guildId, bot);
    const facts = async () => (await guild.api.get(`${guild.path}/setup`)).body.otherBots;
    await eventually(async () => (await facts()).length > 0, 'the other bot');
    const shown = await review(lineOf(person));
    expect(shown.words)
      .to.include('1 member would get a new nickname')
      .and.include(`For example: <@${person.chatUserId}> → ${person.gameUsername}`)
      .and.include('Nobody has to do anything')
      .and.include('Another bot may give roles here too: Rover.');
    expect(labelsOf(shown)).to.deep.equal(['Observe first', 'Apply now']);
    expect(labelsOf(await privateAnswer(press(shown, 'Apply now')))).to.deep.equal([
      ...['Import 1', 'Import, keep nicknames'],
    ]);
    const observing = await privateAnswer(press(await review(lineOf(person)), 'Observe first'));
    expect(observing.words).to.include('This server only observes');
    expect((await guild.api.get(`${guild.path}/settings`)).body.mode).to.equal('observe');
    await (await press(observing, 'Import, keep nicknames')).replyMatching(/Import complete/);
    expect((await PeopleImports.findOne({ guildId: guild.guildId }))?.keepsNicknames).to.equal(true);
  });

  it('A JSON list is accepted, and a malformed item is named', async () => {
    const { chatUserId, gameUserId } = person;
    for (const list of [[{ chatUserId, gameUserId }], { people: [{ chatUserId, gameUserId }] }]) {
      expect((await review(JSON.stringify(list), 'people.json')).words).to.include('1 account would be imported.');
    }
    const wrong = [
      { chatUserId, gameUserId },
      { chatUserId: 'x', gameUserId },
    ];
    expect((await review(JSON.stringify(wrong), 'people.json')).words).to.include('item 2');
    expect((await review('[1,', 'people.json')).words).to.include('must be a JSON list');
    expect(await privateWords(command({ people: 'list' }))).to.include('add the list as a file');
  });

  it('The key of another bot is typed into a form, kept sealed, and gone when the import ends', async () => {
    sources.links.set(person.chatUserId, person.gameUserId);
    const shown = await reviewBot('rowifi', sources.key);
    expect(shown.words).to.include('RoWifi would be asked about');
    expect(shown.words).not.to.include(sources.key);
    const [draft] = await remembered('review_draft', { guildId: guild.guildId });
    expect(draft?.value?.text).not.to.include(sources.key);
    const label = labelsOf(shown)[0] ?? '';
    await (await press(shown, label)).replyMatching(/Import complete/);
    expect(await accountOf(person)).to.equal(person.gameUserId);
    expect(await PeopleImports.findOne({ guildId: guild.guildId })).not.to.have.property('sealedKey');
    expect(await remembered('review_draft', { guildId: guild.guildId })).to.have.length(0);
  });

  it('A text that can be no key is refused before any request', async () => {
    expect((await reviewBot('rover', 'two words')).words).to.include("aren't allowed in a key");
    expect(await remembered('review_draft', { guildId: guild.guildId })).to.have.length(0);
  });

  it('An import under way is shown again by the command, and ends by Cancel', async () => {
    sources.faults.push({ status: 429, headers: { 'retry-after': '60' } });
    const shown = await reviewBot('bloxlink', sources.key);
    const running = await press(shown, labelsOf(shown)[0] ?? '');
    expect(await running.text()).to.include('Import in progress');
    const again = await privateAnswer(command({ people: 'rover' }));
    expect(again.words).to.include('An import is already running');
    const ended = await privateWords(press(again, 'Cancel'));
    expect(ended).to.include('Import cancelled');
    expect((await endOfImport(guild)).state).to.equal('cancelled');
    await running.replyMatching(/Import cancelled/);
  });

  it('The button of an import imports nothing once the numbers have changed, and shows the new ones', async () => {
    const other = await buildMember(guild, { linked: false });
    const shown = await review(lineOf(person) + lineOf(other));
    await linkPerson(guild.guildId, other);
    const anew = await privateAnswer(press(shown, 'Import 2'));
    expect(anew.words).to.include('the numbers have changed').and.include('Already linked: 1');
    expect(await begun()).to.equal(0);
    await (await press(anew, 'Import 1')).replyMatching(/Import complete/);
    expect(await accountOf(person)).to.equal(person.gameUserId);
  });

  it('A review belongs to its person, ends after an hour, and goes when a person in its list is erased', async () => {
    const shown = await review(lineOf(person));
    const [, key = ''] = shown.buttons[0]?.customId?.split(':') ?? [];
    const other = { ...chatUser(person.chatUserId, person.username), role: 'admin' as const };
    const taken = await importReviewedPeople(guild.guild, other, key, 'set').catch(({ code }) => code);
    expect(taken).to.equal('nothing_to_answer');
    await purgeRemembered(new Date(clock.epochMs() + hourMs + 1));
    expect(await privateWords(press(shown, 'Import 1'))).to.include('has been replaced');
    const next = await review(lineOf(person));
    const { chatUserId } = person;
    const actor = systemActor('test');
    await eraseFromImports({ chatUserId, pseudonym: 'erased_1', requestedAt: clock.now(), actor });
    expect(await privateWords(press(next, 'Import 1'))).to.include('has been replaced');
    expect(await begun()).to.equal(0);
  });

  it('The import of people is for admins', async () => {
    const manager = await buildDiscordManager(guild, 2);
    await distrustDiscordAdmins(guild);
    await giveTeamRole(guild, manager.chatUserId, 'manager');
    for (const people of ['list', 'rover']) {
      const asked = await command({ people }, manager.chatUserId);
      expect(asked.modal).to.equal(undefined);
      expect(await asked.text()).to.include('admin');
    }
    expect(await begun()).to.equal(0);
  });
});
