import { EventEmitter, once } from 'node:events';
import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'chai';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  type Client,
  ContainerBuilder,
  EmbedBuilder,
  Events,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  Routes,
  StringSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { clock } from '../../../src/lib/clock.js';
import { type CheckedSandbox, refusal, startCheckedSandbox } from './checked-sandbox.js';
import type { DiscordSandbox, SandboxGuild, SandboxMessage, SandboxUser } from './discord-sandbox.js';

const row = (...buttons: ButtonBuilder[]) => new ActionRowBuilder<ButtonBuilder>().addComponents(buttons);
const button = (customId: string, label: string) =>
  new ButtonBuilder().setCustomId(customId).setLabel(label).setStyle(ButtonStyle.Primary);

const nameForm = new ModalBuilder()
  .setCustomId('verify-name')
  .setTitle('Your Roblox name')
  .addLabelComponents(
    new LabelBuilder()
      .setLabel('Username')
      .setTextInputComponent(
        new TextInputBuilder().setCustomId('name').setStyle(TextInputStyle.Short).setMinLength(3).setMaxLength(20),
      ),
  );

let checked: CheckedSandbox;
let sandbox: DiscordSandbox;
let bot: Client<true>;
let una: SandboxUser;
let olga: SandboxUser;
let guild: SandboxGuild;

function useBot(): void {
  before(async () => {
    checked = await startCheckedSandbox({ rateLimits: false });
    sandbox = checked.sandbox;
    olga = sandbox.addUser({ username: 'olga' });
    una = sandbox.addUser({ username: 'una' });
    guild = sandbox.addGuild({ name: 'Hall', ownerId: olga.id });
    sandbox.join(guild.id, una.id);
    bot = await checked.connect();
    await bot.application.commands.set([{ name: 'try', description: 'Tries' }], guild.id);
  });

  afterEach(() => {
    bot.removeAllListeners(Events.InteractionCreate);
  });

  after(() => checked.stop());
}

/** Lets the bot answer the next interactions; gives a way to wait for what came of each answer. */
function onInteraction(answer: (interaction: Interaction) => Promise<unknown>): () => Promise<unknown[]> {
  const outcomes: Promise<unknown>[] = [];
  bot.on(Events.InteractionCreate, (interaction) => {
    const outcome = answer(interaction);
    outcome.catch(() => {});
    outcomes.push(outcome);
  });
  return () => Promise.all(outcomes);
}

const tryIt = () => sandbox.command(guild.id, una.id, 'try');

/** A message in the channel with these buttons. */
async function panel(...buttons: ButtonBuilder[]): Promise<SandboxMessage> {
  const channel = await bot.channels.fetch(sandbox.channel(guild.id).id);
  if (!channel?.isSendable()) throw new Error('The channel takes no messages.');
  const { id } = await channel.send({ content: 'Verify here', components: [row(...buttons)] });
  const message = sandbox.messages(channel.id).find((candidate) => candidate.id === id);
  if (!message) throw new Error('The message was not stored.');
  return message;
}

describe('Discord sandbox: answers to interactions', () => {
  useBot();

  it('The Discord sandbox shows a private reply to one person only', async () => {
    onInteraction(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.reply({
        content: 'psst',
        components: [row(button('go', 'Go'))],
        flags: MessageFlags.Ephemeral,
      });
    });
    const interaction = await tryIt();
    const reply = await interaction.reply();
    expect(interaction.ephemeral).to.equal(true);
    expect(interaction.acknowledgedAfterMs).to.be.within(0, 3000);
    expect(reply).to.deep.include({ content: 'psst', ephemeral: true, buttons: [{ customId: 'go', label: 'Go' }] });
    expect(sandbox.messages(reply.channelId).map(({ id }) => id)).not.to.include(reply.id);
    const strangerPress = await sandbox.press(guild.id, olga.id, reply, 'Go').catch(({ message }: Error) => message);
    expect(strangerPress).to.match(/cannot see/);
    expect(await refusal(bot.rest.get(Routes.channelMessage(reply.channelId, reply.id)))).to.include({ code: 10008 });
  });

  it('A sandbox interaction waits for the answer that was deferred', async () => {
    const outcomes = onInteraction(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.deferReply({ flags: MessageFlags.Ephemeral });
      await sleep(50);
      await interaction.editReply({ embeds: [new EmbedBuilder().setTitle('Done').setDescription('All of it')] });
      await interaction.followUp({ content: 'and more', flags: MessageFlags.Ephemeral });
    });
    const interaction = await tryIt();
    expect(await interaction.text()).to.equal('Done\nAll of it');
    await outcomes();
    expect(interaction.followUps().map(({ content, ephemeral }) => ({ content, ephemeral }))).to.deep.equal([
      { content: 'and more', ephemeral: true },
    ]);
  });

  it('The first follow-up fills a deferred answer in the sandbox, as in Discord', async () => {
    onInteraction(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.deferReply();
      await interaction.followUp('filled');
    });
    const interaction = await tryIt();
    expect(await interaction.text()).to.equal('filled');
    expect(interaction.followUps()).to.deep.equal([]);
  });

  it('A sandbox interaction follows a reply through its edits, and notices that it was deleted', async () => {
    const seen = new EventEmitter();
    const [reply, edit] = [once(seen, 'reply'), once(seen, 'edit')];
    const outcomes = onInteraction(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      await interaction.reply('working');
      await reply;
      await interaction.editReply('finished');
      await edit;
      await interaction.deleteReply();
    });
    const interaction = await tryIt();
    expect(await interaction.text()).to.equal('working');
    seen.emit('reply');
    expect((await interaction.replyMatching(/finished/)).editedAt).to.be.instanceOf(Date);
    seen.emit('edit');
    await outcomes();
    expect(await interaction.reply(50).catch(({ message }: Error) => message)).to.match(/did not finish/);
  });

  it('An application that takes longer than three seconds loses its interaction in the sandbox', async () => {
    const outcomes = onInteraction(async (interaction) => {
      await sleep(3100);
      if (interaction.isChatInputCommand()) await interaction.reply('late');
    });
    expect(await tryIt().catch(({ message }: Error) => message)).to.equal('The application did not respond');
    expect(await refusal(outcomes())).to.include({ status: 404, code: 10062 });
  });

  it('A sandbox interaction accepts one first answer only', async () => {
    const outcomes = onInteraction(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      const { id, token } = interaction;
      await interaction.reply('first');
      await bot.rest.post(Routes.interactionCallback(id, token), { auth: false, body: { type: 5 } });
    });
    await tryIt();
    expect(await refusal(outcomes())).to.include({ status: 400, code: 40060 });
  });

  it('An interaction token of the sandbox ends after fifteen minutes, and is unknown before the first answer', async () => {
    let tooEarly: { code: number | string } | undefined;
    onInteraction(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      tooEarly = await refusal(bot.rest.get(Routes.webhookMessage(sandbox.application.id, interaction.token)));
      await interaction.reply('now');
    });
    const { token } = await tryIt();
    expect(tooEarly).to.include({ status: 404, code: 10015 });
    const edit = () =>
      bot.rest.patch(Routes.webhookMessage(sandbox.application.id, token), { auth: false, body: { content: 'x' } });
    await edit();
    clock.advance(15 * 60_000);
    expect(await refusal(edit())).to.include({ status: 401, code: 50027 });
  });

  it('The Discord sandbox refuses interaction answers that do not fit, with the field named', async () => {
    const outcomes = onInteraction(async (interaction) => {
      if (!interaction.isChatInputCommand()) return;
      const answer = (body: unknown) =>
        bot.rest.post(Routes.interactionCallback(interaction.id, interaction.token), { auth: false, body });
      const codes = [
        await refusal(answer({ type: 6 })),
        await refusal(answer({ type: 4, data: { content: 'x'.repeat(2001) } })),
        await refusal(answer({ type: 4, data: {} })),
        await refusal(answer({ type: 9, data: { custom_id: 'm', title: 't'.repeat(46), components: [] } })),
      ].map(({ code }) => code);
      const body = await bot.rest.post(Routes.interactionCallback(interaction.id, interaction.token), {
        auth: false,
        body: { type: 4, data: { content: 'fits' } },
        query: new URLSearchParams({ with_response: 'true' }),
      });
      return { codes, body };
    });
    const interaction = await tryIt();
    expect(await interaction.text()).to.equal('fits');
    const [outcome] = await outcomes();
    expect(outcome).to.have.deep.property('codes', [50035, 50035, 50006, 50035]);
    expect(outcome).to.have.nested.property('body.interaction.id', interaction.id);
    expect(outcome).to.have.nested.property('body.resource.message.content', 'fits');
  });
});

describe('Discord sandbox: components', () => {
  useBot();

  it('The Discord sandbox plays a button, its form and the updated message', async () => {
    const outcomes = onInteraction(async (interaction) => {
      if (interaction.isButton()) await interaction.showModal(nameForm);
      if (interaction.isModalSubmit() && interaction.isFromMessage()) {
        await interaction.update({ content: `Hello ${interaction.fields.getTextInputValue('name')}`, components: [] });
      }
    });
    const message = await panel(button('verify', 'Verify'));
    const pressed = await sandbox.press(guild.id, una.id, message, 'verify');
    expect(pressed.modal).to.deep.equal({
      customId: 'verify-name',
      title: 'Your Roblox name',
      fields: [{ customId: 'name', label: 'Username', required: true, minLength: 3, maxLength: 20 }],
    });
    const problem = (values: Record<string, string>) =>
      sandbox.submit(pressed, values).catch(({ message: text }: Error) => text);
    expect(await problem({})).to.match(/name is required/);
    expect(await problem({ name: 'ab' })).to.match(/too short/);
    expect(await problem({ name: 'abc', nick: 'x' })).to.match(/no field nick/);
    const done = await sandbox.submit(pressed, { name: 'builderman' });
    expect(await done.text()).to.equal('Hello builderman');
    const [shown] = sandbox.messages(message.channelId).filter(({ id }) => id === message.id);
    expect(shown).to.deep.include({ content: 'Hello builderman', buttons: [] });
    await outcomes();
  });

  it('A press in the sandbox gives the edited message after a deferred update, or else the follow-up', async () => {
    onInteraction(async (interaction) => {
      if (!interaction.isButton()) return;
      await interaction.deferUpdate();
      await sleep(20);
      if (interaction.customId === 'edit') await interaction.editReply('edited');
      else await interaction.followUp({ content: 'told you', flags: MessageFlags.Ephemeral });
    });
    const message = await panel(button('edit', 'Edit'), button('tell', 'Tell'));
    const edited = await (await sandbox.press(guild.id, una.id, message, 'Edit')).reply();
    expect(edited).to.include({ id: message.id, content: 'edited' });
    const told = await (await sandbox.press(guild.id, una.id, message, 'Tell')).reply();
    expect(told).to.include({ content: 'told you', ephemeral: true });
  });

  it('The Discord sandbox refuses to press buttons that are not there, are disabled, or only link', async () => {
    const link = new ButtonBuilder().setURL('https://example.org/').setLabel('Site').setStyle(ButtonStyle.Link);
    const message = await panel(button('off', 'Off').setDisabled(), link);
    const problem = (name: string) =>
      sandbox.press(guild.id, una.id, message, name).catch(({ message: text }: Error) => text);
    expect(await problem('On')).to.match(/no button "On"; its buttons: Off/);
    expect(await problem('Off')).to.match(/disabled/);
    expect(await problem('Site')).to.match(/is a link/);
    expect(message.buttons).to.deep.equal([
      { customId: 'off', label: 'Off', disabled: true },
      { label: 'Site', url: 'https://example.org/' },
    ]);
  });

  it('The Discord sandbox chooses in a select menu, and reads components of the second kind', async () => {
    const menu = new StringSelectMenuBuilder()
      .setCustomId('method')
      .addOptions({ label: 'Code', value: 'code' }, { label: 'OAuth', value: 'oauth' });
    onInteraction(async (interaction) => {
      if (interaction.isStringSelectMenu()) await interaction.reply(interaction.values.join());
      if (!interaction.isChatInputCommand()) return;
      const box = new ContainerBuilder()
        .addTextDisplayComponents({ type: 10, content: '# How?' })
        .addActionRowComponents(new ActionRowBuilder<StringSelectMenuBuilder>().addComponents(menu));
      await interaction.reply({ components: [box], flags: MessageFlags.IsComponentsV2 });
    });
    const interaction = await tryIt();
    expect(await interaction.text()).to.equal('# How?');
    const message = await interaction.reply();
    expect(message.selects.map(({ customId }) => customId)).to.deep.equal(['method']);
    const chosen = await sandbox.select(guild.id, una.id, message, 'method', ['oauth']);
    expect(await chosen.text()).to.equal('oauth');
  });
});
