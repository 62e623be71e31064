import { once } from 'node:events';
import { expect } from 'chai';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  type Client,
  Events,
  GatewayDispatchEvents,
  GatewayIntentBits,
  type Interaction,
  LabelBuilder,
  MessageFlags,
  ModalBuilder,
  RoleSelectMenuBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { type CheckedSandbox, createBot, startCheckedSandbox } from '../sandbox/discord/checked-sandbox.js';
import { type Dispatch, dispatchComplaints } from './payload-types.js';

const button = new ButtonBuilder().setCustomId('go').setLabel('Go').setStyle(ButtonStyle.Primary);
const menu = new RoleSelectMenuBuilder().setCustomId('role');
const name = new TextInputBuilder().setCustomId('name').setStyle(TextInputStyle.Short);
const form = new ModalBuilder()
  .setCustomId('form')
  .setTitle('Name')
  .addLabelComponents(new LabelBuilder().setLabel('Name').setTextInputComponent(name));
const panel = {
  content: 'Here',
  components: [
    new ActionRowBuilder<ButtonBuilder>().addComponents(button),
    new ActionRowBuilder<RoleSelectMenuBuilder>().addComponents(menu),
  ],
};
const commands = [
  {
    name: 'try',
    description: 'Tries',
    options: [
      { type: 6, name: 'who', description: 'A person' },
      { type: 8, name: 'role', description: 'A role' },
      { type: 3, name: 'word', description: 'A word', autocomplete: true },
    ],
  },
  { name: 'Look', type: 2 },
] as const;

async function answer(interaction: Interaction): Promise<unknown> {
  if (interaction.isAutocomplete()) return interaction.respond([{ name: 'one', value: 'one' }]);
  if (interaction.isButton()) return interaction.showModal(form);
  if (interaction.isModalSubmit() && interaction.isFromMessage()) return interaction.update({ content: 'Done' });
  return interaction.isRepliable() && interaction.reply({ content: 'yes', flags: MessageFlags.Ephemeral });
}

// ENV-36
describe('What the sandbox sends over the gateway', () => {
  let checked: CheckedSandbox;
  let bot: Client;
  const sent: Dispatch[] = [];

  before(async () => {
    checked = await startCheckedSandbox({ rateLimits: false });
    const { sandbox } = checked;
    const owner = sandbox.addUser({ username: 'olga' });
    const person = sandbox.addUser({ username: 'una', globalName: 'Una' });
    const guild = sandbox.addGuild({ name: 'Hall', ownerId: owner.id });
    const { Guilds, GuildMembers, GuildMessages, DirectMessages } = GatewayIntentBits;
    bot = createBot(sandbox, { intents: [Guilds, GuildMembers, GuildMessages, DirectMessages] });
    for (const t of Object.values(GatewayDispatchEvents))
      bot.ws.on(t, (d: unknown) => sent.push({ t, d: structuredClone(d) }));
    bot.on(Events.InteractionCreate, (interaction) => void answer(interaction));
    const ready = once(bot, Events.ClientReady);
    await bot.login(sandbox.application.botToken);
    await ready;
    await bot.application?.commands.set([...commands], guild.id);

    const role = sandbox.addRole(guild.id, { name: 'Crew' });
    sandbox.updateRole(guild.id, role.id, { name: 'Sailors' });
    sandbox.join(guild.id, person.id, { nickname: 'Una', flags: 4 });
    sandbox.setMemberRoles(guild.id, person.id, [role.id]);
    sandbox.renameUser(person.id, 'una2');
    sandbox.renameGuild(guild.id, 'Hall of fame');
    await (await bot.guilds.fetch(guild.id)).members.fetch();
    const channel = await bot.channels.fetch(sandbox.channel(guild.id).id);
    if (!channel?.isSendable()) throw new Error('The channel takes no messages.');
    const message = await channel.send(panel);
    await message.edit('Edited');
    await (await channel.send('gone')).delete();
    await (await bot.users.fetch(person.id)).send('Hello');

    const shown = { id: (await channel.send(panel)).id, channelId: channel.id };
    await sandbox.command(guild.id, person.id, 'try', { who: owner.id, role: role.id, word: 'one' });
    await sandbox.autocomplete(guild.id, person.id, 'try', { name: 'word', value: 'o' });
    await sandbox.contextMenu(guild.id, person.id, 'Look', owner.id);
    await sandbox.select(guild.id, person.id, shown, 'role', [role.id]);
    await sandbox.submit(await sandbox.press(guild.id, person.id, shown, 'go'), { name: 'una' });

    sandbox.deleteRole(guild.id, role.id);
    sandbox.leave(guild.id, person.id);
    sandbox.removeBot(guild.id);
    sandbox.addBot(guild.id);
  });
  after(async () => {
    await bot.destroy();
    await checked.stop();
  });

  it('Each kind of event that the sandbox sends is among the tried ones', () => {
    expect([...new Set(sent.map(({ t }) => t))].sort()).to.deep.equal([
      ...['GUILD_CREATE', 'GUILD_DELETE', 'GUILD_MEMBERS_CHUNK', 'GUILD_MEMBER_ADD', 'GUILD_MEMBER_REMOVE'],
      ...['GUILD_MEMBER_UPDATE', 'GUILD_ROLE_CREATE', 'GUILD_ROLE_DELETE', 'GUILD_ROLE_UPDATE', 'GUILD_UPDATE'],
      ...['INTERACTION_CREATE', 'MESSAGE_CREATE', 'MESSAGE_DELETE', 'MESSAGE_UPDATE', 'READY'],
    ]);
  });

  it('The events that the sandbox sends have the keys and types of Discord’s', async () => {
    expect(await dispatchComplaints(sent)).to.deep.equal([]);
  });

  it('An event with a key of another type, without a key or with an unknown one is reported by its name', async () => {
    const wrong = [
      { t: 'GUILD_DELETE', d: { id: 1 } },
      { t: 'GUILD_MEMBER_REMOVE', d: { guild_id: '1' } },
      { t: 'GUILD_DELETE', d: { id: '1', gone: true } },
    ];
    const complaints = await dispatchComplaints(wrong);
    expect(complaints.map((words) => words.split(':')[0])).to.deep.equal(wrong.map(({ t }) => t));
  });
});
