import { expect } from 'chai';
import {
  type ApplicationCommandDataResolvable,
  ApplicationCommandOptionType,
  ApplicationCommandType,
  type ChatInputApplicationCommandData,
  type Client,
  Events,
  type Interaction,
  PermissionFlagsBits,
  RequestMethod,
  Routes,
} from 'discord.js';
import { type CheckedSandbox, refusal, startCheckedSandbox } from './checked-sandbox.js';
import type { DiscordSandbox, SandboxGuild, SandboxUser } from './discord-sandbox.js';

const mapping: ChatInputApplicationCommandData = {
  name: 'mapping',
  description: 'Mappings',
  defaultMemberPermissions: PermissionFlagsBits.ManageGuild,
  options: [
    {
      type: ApplicationCommandOptionType.Subcommand,
      name: 'add',
      description: 'Adds one',
      options: [
        { type: ApplicationCommandOptionType.Role, name: 'role', description: 'The role', required: true },
        { type: ApplicationCommandOptionType.Integer, name: 'rank', description: 'Rank', minValue: 1, maxValue: 255 },
        { type: ApplicationCommandOptionType.String, name: 'group', description: 'Group', autocomplete: true },
        { type: ApplicationCommandOptionType.User, name: 'member', description: 'Somebody' },
        { type: ApplicationCommandOptionType.Boolean, name: 'keep', description: 'Keep it' },
      ],
    },
    { type: ApplicationCommandOptionType.Subcommand, name: 'list', description: 'Lists them' },
  ],
};

let checked: CheckedSandbox;
let sandbox: DiscordSandbox;
let bot: Client<true>;
let owner: SandboxUser;
let una: SandboxUser;
let guild: SandboxGuild;

function useBot(): void {
  before(async () => {
    checked = await startCheckedSandbox({ rateLimits: false });
    sandbox = checked.sandbox;
    owner = sandbox.addUser({ username: 'olga' });
    una = sandbox.addUser({ username: 'una' });
    bot = await checked.connect();
  });

  beforeEach(() => {
    guild = sandbox.addGuild({ name: 'Hall', ownerId: owner.id });
    sandbox.join(guild.id, una.id);
  });

  afterEach(() => {
    bot.removeAllListeners(Events.InteractionCreate);
  });

  after(() => checked.stop());
}

/** Lets the bot answer with `answer`; gives what it answers. */
function onInteraction(answer: (interaction: Interaction) => Promise<unknown>): void {
  bot.on(Events.InteractionCreate, (interaction) => void answer(interaction));
}

describe('Discord sandbox: command registration', () => {
  useBot();

  it('The Discord sandbox keeps id and version of unchanged commands when all are overwritten', async () => {
    const help = { name: 'help', description: 'Helps' };
    const register = async (...all: ApplicationCommandDataResolvable[]) => {
      const registered = await bot.application.commands.set(all, guild.id);
      return [...registered.values()].map(({ name, id, version }) => ({ name, id, version }));
    };
    const [mappingBefore, helpBefore] = await register(mapping, help);
    const [mappingAfter, helpAfter] = await register(mapping, { ...help, description: 'Helps you' });
    expect(mappingAfter).to.deep.equal(mappingBefore);
    expect(helpAfter?.id).to.equal(helpBefore?.id);
    expect(BigInt(helpAfter?.version ?? 0) > BigInt(helpBefore?.version ?? 0)).to.equal(true);
    await bot.application.commands.set([help], guild.id);
    expect(
      [...(await bot.application.commands.fetch({ guildId: guild.id })).values()].map(({ name }) => name),
    ).to.deep.equal(['help']);
  });

  it('The Discord sandbox creates a command with 201, overwrites it with 200, edits and deletes it', async () => {
    const path = Routes.applicationCommands(sandbox.application.id);
    const post = async (body: unknown) =>
      (await bot.rest.queueRequest({ method: RequestMethod.Post, fullRoute: path, body })).status;
    expect(await post({ name: 'about', description: 'A' })).to.equal(201);
    expect(await post({ name: 'about', description: 'B' })).to.equal(200);
    const [command] = (await bot.application.commands.fetch({ withLocalizations: true })).values();
    expect(command).to.include({ name: 'about', description: 'B' });
    await command?.setDescription('C');
    expect((await bot.application.commands.fetch(command?.id ?? '')).description).to.equal('C');
    await command?.delete();
    expect((await bot.application.commands.fetch()).size).to.equal(0);
    expect(await refusal(bot.application.commands.fetch(command?.id ?? ''))).to.include({ status: 404, code: 10063 });
  });

  it('The Discord sandbox refuses malformed commands, naming the field', async () => {
    const put = async (...body: unknown[]) => {
      const { status, code, raw } = await refusal(
        bot.rest.put(Routes.applicationGuildCommands(sandbox.application.id, guild.id), { body }),
      );
      expect({ status, code }).to.deep.equal({ status: 400, code: 50035 });
      return raw;
    };
    expect(await put({ name: 'Upper Case', description: 'd' })).to.have.nested.property('errors.0.name._errors');
    expect(await put({ name: 'x' })).to.have.nested.property(
      'errors.0.description._errors[0].code',
      'BASE_TYPE_REQUIRED',
    );
    expect(await put({ name: 'x', description: 'd'.repeat(101) })).to.have.nested.property('errors.0.description');
    expect(await put({ name: 'x', description: 'd' }, { name: 'x', description: 'e' })).to.have.nested.property(
      'errors',
    );
    const optional = { type: 3, name: 'a', description: 'a' };
    const required = { type: 3, name: 'b', description: 'b', required: true };
    expect(await put({ name: 'x', description: 'd', options: [optional, required] })).to.have.nested.property(
      'errors.0.options',
    );
    const many = Array.from({ length: 101 }, (_, n) => ({ name: `c${n}`, description: 'd' }));
    await put(...many);
  });
});

describe('Discord sandbox: command calls', () => {
  useBot();

  it('A sandbox command carries a subcommand with typed and resolved options, and the permissions of both sides', async () => {
    await bot.application.commands.set([mapping], guild.id);
    const role = sandbox.addRole(guild.id, { name: 'Recruit' });
    onInteraction(async (interaction) => {
      if (!interaction.isChatInputCommand() || !interaction.inCachedGuild()) return;
      const { options, memberPermissions, appPermissions, member, channel } = interaction;
      const seen = [
        options.getSubcommand(),
        options.getRole('role', true).name,
        options.getInteger('rank'),
        options.getUser('member')?.username,
        options.getMember('member')?.id,
        options.getBoolean('keep'),
        memberPermissions.has(PermissionFlagsBits.Administrator),
        appPermissions.has(PermissionFlagsBits.ManageRoles),
        appPermissions.has(PermissionFlagsBits.ManageGuild),
        member.user.username,
        channel?.id,
        interaction.locale,
        interaction.guildLocale,
      ];
      await interaction.reply({ content: JSON.stringify(seen) });
    });
    const options = { role: role.id, rank: 7, member: una.id, keep: true };
    const interaction = await sandbox.command(guild.id, owner.id, 'mapping add', options);
    expect(JSON.parse(await interaction.text())).to.deep.equal([
      'add',
      'Recruit',
      7,
      'una',
      una.id,
      true,
      true,
      true,
      false,
      'olga',
      sandbox.channel(guild.id).id,
      'en-US',
      'en-US',
    ]);
    expect(interaction.ephemeral).to.equal(false);
    expect(sandbox.messages(sandbox.channel(guild.id).id)).to.have.lengthOf(1);
  });

  it('The sandbox refuses to send commands that Discord’s client would not send', async () => {
    await bot.application.commands.set([mapping], guild.id);
    const role = sandbox.addRole(guild.id, { name: 'Recruit' });
    const problem = (userId: string, name: string, options?: Record<string, string | number>) =>
      sandbox.command(guild.id, userId, name, options).then(
        () => 'sent',
        ({ message }: Error) => message,
      );
    expect(await problem(una.id, 'mapping list')).to.match(/not shown/);
    expect(await problem(owner.id, 'nothing')).to.match(/no command "nothing"; it has: mapping/);
    expect(await problem(owner.id, 'mapping')).to.match(/subcommand: add, list/);
    expect(await problem(owner.id, 'mapping add')).to.match(/role is required/);
    expect(await problem(owner.id, 'mapping add', { role: role.id, rank: 256 })).to.match(/out of range/);
    expect(await problem(owner.id, 'mapping add', { role: role.id, rank: '7' })).to.match(/must be a number/);
    expect(await problem(owner.id, 'mapping add', { role: role.id, colour: 'red' })).to.match(/no option colour/);
    const manager = sandbox.addRole(guild.id, { name: 'Manager', permissions: PermissionFlagsBits.ManageGuild });
    sandbox.setMemberRoles(guild.id, una.id, [manager.id]);
    onInteraction(async (interaction) => interaction.isChatInputCommand() && (await interaction.reply('ok')));
    expect(await problem(una.id, 'mapping list')).to.equal('sent');
  });

  it('The Discord sandbox asks the bot for suggestions while an option is typed', async () => {
    await bot.application.commands.set([mapping], guild.id);
    onInteraction(async (interaction) => {
      if (!interaction.isAutocomplete()) return;
      const typed = interaction.options.getFocused(true);
      await interaction.respond([{ name: `${typed.name} ${typed.value}…`, value: '1' }]);
    });
    const choices = await sandbox.autocomplete(guild.id, owner.id, 'mapping add', { name: 'group', value: 'Fox' });
    expect(choices).to.deep.equal([{ name: 'group Fox…', value: '1' }]);
  });

  it('The Discord sandbox sends a context-menu command on a user', async () => {
    await bot.application.commands.set([{ name: 'Roblox account', type: ApplicationCommandType.User }], guild.id);
    onInteraction(async (interaction) => {
      if (!interaction.isUserContextMenuCommand()) return;
      await interaction.reply(`${interaction.user.username} looks at ${interaction.targetUser.username}`);
    });
    const interaction = await sandbox.contextMenu(guild.id, una.id, 'Roblox account', owner.id);
    expect(await interaction.text()).to.equal('una looks at olga');
  });

  it('A global command reaches the bot from every guild of the sandbox', async () => {
    await bot.application.commands.set([{ name: 'help', description: 'Helps' }]);
    onInteraction(async (interaction) => interaction.isChatInputCommand() && (await interaction.reply('Here.')));
    expect(await (await sandbox.command(guild.id, una.id, 'help')).text()).to.equal('Here.');
    await bot.application.commands.set([]);
  });
});
