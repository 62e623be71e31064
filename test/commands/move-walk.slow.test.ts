import { expect } from 'chai';
import sinon from 'sinon';
import { readSettings } from '../../src/core/settings/settings-service.js';
import { following } from '../../src/edges/interactions/replies/followed-reply.js';
import { memberWrites } from '../features/sync/sync-setup.js';
import type { SandboxInteraction } from '../sandbox/discord/sandbox-interaction.js';
import { type SandboxMessage, wordsOf } from '../sandbox/discord/sandbox-message.js';
import { withPromptSyncs } from '../support/background.js';
import { eventually, type TestGuild, type TestPerson } from '../support/build.js';
import { buildMovingGuild, differing } from '../support/moving-guild.js';
import { type World, world } from '../support/world.js';
import { labelsOf, privateAnswer } from './private-answer.js';

const people = 500;
const binds = 40;
const mostPresses = 15;
/** Each wait for work on everybody lasts as long as a busy machine needs. */
const slowMs = 600_000;

// OBS-95
describe('The whole way from another bot, in Discord', function () {
  this.timeout(1_800_000);
  withPromptSyncs();
  let discord: World['discord'];
  let guild: TestGuild;
  let presses = 0;

  before(async () => {
    ({ discord } = await world());
    sinon.replace(following, 'everyMs', 100);
  });
  after(() => sinon.restore());

  const counted = (asked: Promise<SandboxInteraction>): Promise<SandboxInteraction> => {
    presses += 1;
    return asked;
  };
  const press = (message: SandboxMessage, label: string) =>
    counted(discord.press(guild.guildId, guild.ownerId, message, label));
  const answerTo = (message: SandboxMessage, label: string) => privateAnswer(press(message, label));
  const command = (name: string, options: Record<string, string> = {}) =>
    counted(discord.command(guild.guildId, guild.ownerId, name, options));
  const rolesOf = ({ chatUserId }: TestPerson) =>
    [...(discord.member(guild.guildId, chatUserId)?.roleIds ?? [])].sort();

  it(`A server with ${people} people and ${binds} binds moves in at most ${mostPresses} presses, writes to nobody before, and takes it back`, async () => {
    const moving = await buildMovingGuild({ people, ranks: binds });
    const { members, roleIds } = moving;
    guild = moving;
    const before = members.map(rolesOf);
    discord.forgetRequests();

    const setup = await (await command('setup')).reply(slowMs);
    const steps = await answerTo(setup, 'Coming from another bot?');
    expect(steps.words).to.contain('▶️ **Observe**').and.contain('▫️ **People**');
    const observing = await answerTo(steps, 'Observe first');
    expect(observing.words).to.contain('✅ **Observe**').and.contain('▶️ **People**');
    const asked = await command('import', { people: 'list', file: discord.upload('people.csv', moving.people) });
    const review = await asked.replyMatching(/in the server|would be|no effect|No member|would get/);
    expect(wordsOf(review)).to.contain('This server only observes');
    const imported = await press(review, `Import ${people}`);
    const ended = await imported.replyMatching(/Import complete/, slowMs);
    const rules = await answerTo(ended, 'Coming from another bot?');
    expect(rules.words).to.contain(`✅ **People** · ${people} people`).and.contain('▶️ **Rules**');
    const form = await press(rules, 'Import rules');
    presses += 1;
    const mappings = await privateAnswer(discord.submit(form, { format: 'csv', text: moving.rules }));
    const compare = await answerTo(mappings, `Import ${binds}`);
    expect(compare.words).to.contain(`✅ **Rules** · ${binds} mappings`).and.contain('▶️ **Compare**');
    const comparing = await press(compare, 'Compare now');
    const compared = await comparing.replyMatching(/3 differ/, slowMs);
    // The owner matches too.
    expect(wordsOf(compared)).to.contain(`${people - 2} members match, 3 differ`);
    const live = await answerTo(compared, 'The differences are fine');
    expect(live.words).to.contain('▶️ **Go live**');
    expect(await memberWrites(guild), 'nobody is changed before').to.deep.equal([]);
    const preview = await press(live, 'Go live');
    const shown = await preview.replyMatching(new RegExp(`3 of (${people}|${people + 1})`), slowMs);
    expect(labelsOf(shown)).to.deep.equal(['Go live']);
    await press(shown, 'Go live');
    await eventually(
      () => members.slice(0, differing).every((person, index) => rolesOf(person)[0] === roleIds[index % binds]),
      'the switch',
      60_000,
    );
    expect(presses).to.be.at.most(mostPresses);
    process.stdout.write(`      ${presses} presses\n`);
    const again = await privateAnswer(discord.command(guild.guildId, guild.ownerId, 'setup'));
    const stop = await privateAnswer(discord.press(guild.guildId, guild.ownerId, again, 'Coming from another bot?'));
    expect(stop.words).to.contain('▶️ **Stop the other bot**').and.contain('Bloxlink');
    await eventually(
      async () => (await guild.api.get(`${guild.path}/resyncs?limit=1`)).body.data[0].state === 'completed',
    );
    expect((await guild.api.post(`${guild.path}/differences/undo`, {})).status).to.equal(200);
    await eventually(
      () => members.every((person, index) => rolesOf(person).join() === before[index]?.join()),
      'the undo',
      60_000,
    );
    expect((await readSettings(guild.guildId)).mode).to.equal('observe');
  });
});
