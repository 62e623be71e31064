import { expect } from 'chai';
import {
  ActionRowBuilder,
  ButtonBuilder,
  ButtonStyle,
  type Client,
  Events,
  MessageFlags,
  ModalBuilder,
  TextInputBuilder,
  TextInputStyle,
} from 'discord.js';
import { type CheckedSandbox, startCheckedSandbox } from './checked-sandbox.js';
import type { DiscordSandbox, SandboxGuild, SandboxUser } from './discord-sandbox.js';

describe('Discord sandbox: control from outside', () => {
  let checked: CheckedSandbox;
  let sandbox: DiscordSandbox;
  let bot: Client<true>;
  let owner: SandboxUser;
  let una: SandboxUser;
  let guild: SandboxGuild;

  before(async () => {
    checked = await startCheckedSandbox();
    sandbox = checked.sandbox;
    owner = sandbox.addUser({ username: 'olga' });
    una = sandbox.addUser({ username: 'una<b>' });
    guild = sandbox.addGuild({ name: 'Hall', ownerId: owner.id });
    bot = await checked.connect();
    await bot.application.commands.set([{ name: 'verify', description: 'Verifies' }], guild.id);
    const form = new ModalBuilder()
      .setCustomId('form')
      .setTitle('Name')
      .addComponents(
        new ActionRowBuilder<TextInputBuilder>().addComponents(
          new TextInputBuilder().setCustomId('name').setLabel('Name').setStyle(TextInputStyle.Short),
        ),
      );
    const go = new ButtonBuilder().setCustomId('go').setLabel('Go').setStyle(ButtonStyle.Primary);
    const row = new ActionRowBuilder<ButtonBuilder>().addComponents(go);
    bot.on(Events.InteractionCreate, (interaction) => {
      if (interaction.isButton()) void interaction.showModal(form);
      if (interaction.isModalSubmit()) void interaction.reply(`Hi ${interaction.fields.getTextInputValue('name')}`);
      if (interaction.isChatInputCommand()) {
        void interaction.reply({ content: 'Press', components: [row], flags: MessageFlags.Ephemeral });
      }
    });
  });

  after(() => checked.stop());

  async function control(verb: string, body: unknown) {
    const answer = await fetch(`${sandbox.url}/sandbox/${verb}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    const json: unknown = answer.status === 204 ? undefined : await answer.json();
    return { status: answer.status, body: json };
  }

  async function form(path: string, fields: Record<string, string>): Promise<Response> {
    return await fetch(`${sandbox.url}${path}`, {
      method: 'POST',
      body: new URLSearchParams(fields),
      redirect: 'manual',
    });
  }

  it('The Discord sandbox lists its control verbs with the shape of their bodies', async () => {
    const verbs: unknown = await (await fetch(`${sandbox.url}/sandbox`)).json();
    const list = Array.isArray(verbs) ? verbs : [];
    expect(list.map(({ request }) => request)).to.include.members(['POST /sandbox/join', 'POST /sandbox/press']);
    const join = list.find(({ request }) => request === 'POST /sandbox/join');
    expect(join).to.have.nested.property('body.properties.guildId');
  });

  it('A story of join, role, command, press and form can be played over the control verbs', async () => {
    const ids = { guildId: guild.id, userId: una.id };
    expect(await control('join', ids)).to.deep.equal({ status: 204, body: undefined });
    const role = await control('add-role', { guildId: guild.id, name: 'Recruit', permissions: '0' });
    const roleId = Reflect.get(Object(role.body), 'id');
    expect((await control('set-member', { ...ids, roleIds: [roleId], nickname: 'U' })).status).to.equal(204);
    expect(sandbox.member(guild.id, una.id)).to.deep.equal({ roleIds: [roleId], nickname: 'U' });
    const { body } = await control('command', { ...ids, name: 'verify' });
    expect(body).to.have.nested.include({ 'message.content': 'Press', ephemeral: true });
    const message = Reflect.get(Object(body), 'message');
    const press = { ...ids, channelId: message.channelId, messageId: message.id, button: 'Go' };
    const pressed = await control('press', press);
    expect(pressed.body).to.have.nested.include({ 'modal.title': 'Name' });
    const interactionId = Reflect.get(Object(pressed.body), 'interactionId');
    const submitted = await control('submit', { interactionId, values: { name: 'bob' } });
    expect(submitted.body).to.have.nested.include({ 'message.content': 'Hi bob' });
    const state: unknown = await (await fetch(`${sandbox.url}/sandbox/state`)).json();
    expect(state).to.have.nested.include({ 'guilds[0].memberCount': 3, 'guilds[0].hasBot': true });
    await control('leave', ids);
    expect(sandbox.member(guild.id, una.id)).to.equal(undefined);
  });

  it('The Discord sandbox explains a wrong control verb', async () => {
    expect((await control('nonsense', {})).status).to.equal(404);
    const wrong = await control('join', { guildId: guild.id, userId: 'x', colour: 1 });
    expect(wrong.status).to.equal(400);
    expect(wrong.body)
      .to.have.property('error')
      .that.matches(/userId/)
      .and.matches(/colour/);
    const unknown = await control('join', { guildId: '1', userId: una.id });
    expect(unknown.body)
      .to.have.property('error')
      .that.matches(/no guild 1/);
  });

  it('A control verb injects faults into the Discord sandbox and takes them back', async () => {
    await control('inject-fault', { match: 'GET discord.com/api/v10/gateway$', status: 500 });
    expect((await fetch(`${sandbox.apiUrl}/v10/gateway`)).status).to.equal(500);
    await control('clear-faults', {});
    expect((await fetch(`${sandbox.apiUrl}/v10/gateway`)).status).to.equal(200);
  });

  it('A person can click through the Discord sandbox: join, read the page, play a person', async () => {
    expect((await form('/membership', { guildId: guild.id, userId: una.id, action: 'join' })).status).to.equal(303);
    const page = await (await fetch(`${sandbox.url}/`)).text();
    expect(page).to.include('una&#60;b&#62;').and.not.to.include('una<b>');
    const base = `/as/${una.id}/in/${guild.id}`;
    expect(page).to.include(`href="${base}"`);
    expect(await (await fetch(`${sandbox.url}${base}`)).text()).to.include('Send a command');
    const answered = await (await form(`${base}/command`, { command: 'verify' })).text();
    expect(answered).to.include('Only you can see this').and.to.include('value="go"');
    const field = (name: string) => new RegExp(`name="${name}" value="([^"]*)"`).exec(answered)?.[1] ?? '';
    const press = { channelId: field('channelId'), messageId: field('messageId'), button: 'go' };
    const modal = await (await form(`${base}/press`, press)).text();
    const interactionId = /name="interactionId" value="(\d+)"/.exec(modal)?.[1] ?? '';
    const done = await form(`${base}/submit`, { interactionId, name: 'bob' });
    expect(await done.text()).to.include('Hi bob');
    const failed = await form(`${base}/command`, { command: 'nothing' });
    expect(failed.status).to.equal(422);
    expect(await failed.text()).to.include('no command');
    expect((await form('/membership', { guildId: guild.id, userId: una.id, action: 'join' })).status).to.equal(422);
  });
});
