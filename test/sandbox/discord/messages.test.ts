import { expect } from 'chai';
import { AttachmentBuilder, type Client, DiscordAPIError, EmbedBuilder, PermissionFlagsBits, Routes } from 'discord.js';
import { type CheckedSandbox, refusal, startCheckedSandbox } from './checked-sandbox.js';
import type { DiscordSandbox, SandboxGuild, SandboxUser } from './discord-sandbox.js';

describe('Discord sandbox: messages', () => {
  let checked: CheckedSandbox;
  let sandbox: DiscordSandbox;
  let bot: Client<true>;
  let owner: SandboxUser;
  let guild: SandboxGuild;

  before(async () => {
    checked = await startCheckedSandbox({ rateLimits: false });
    sandbox = checked.sandbox;
    owner = sandbox.addUser({ username: 'olga' });
    guild = sandbox.addGuild({ name: 'Hall', ownerId: owner.id });
    bot = await checked.connect();
  });

  after(() => checked.stop());

  async function channel() {
    const found = await bot.channels.fetch(sandbox.channel(guild.id).id);
    if (!found?.isSendable()) throw new Error('The channel takes no messages.');
    return found;
  }

  const stored = () => sandbox.messages(sandbox.channel(guild.id).id);

  it('A sandbox bot sends, edits and deletes messages', async () => {
    const message = await (await channel()).send({
      content: `Welcome <@${owner.id}>`,
      embeds: [new EmbedBuilder().setTitle('T').addFields({ name: 'n', value: 'v' })],
    });
    expect([...message.mentions.users.keys()]).to.deep.equal([owner.id]);
    expect(stored().at(-1)).to.include({ id: message.id, content: `Welcome <@${owner.id}>`, editedAt: null });
    await message.edit({ content: 'Changed' });
    expect(stored().at(-1)).to.include({ content: 'Changed' });
    expect(stored().at(-1)?.embeds[0]?.title).to.equal('T');
    expect((await (await channel()).messages.fetch({ message: message.id, force: true })).content).to.equal('Changed');
    await message.delete();
    expect(stored().map(({ id }) => id)).not.to.include(message.id);
    expect(await refusal(message.fetch(true))).to.include({ status: 404, code: 10008 });
  });

  it('The Discord sandbox accepts files, and replies to another message', async () => {
    const first = await (await channel()).send('first');
    const reply = await first.reply({ files: [new AttachmentBuilder(Buffer.from('a,b\n'), { name: 'logs.csv' })] });
    expect(reply.attachments.first()).to.include({ name: 'logs.csv', size: 4 });
    expect(reply.reference?.messageId).to.equal(first.id);
    expect(stored().at(-1)?.attachments).to.have.lengthOf(1);
  });

  it('The Discord sandbox sends one message for one enforced nonce', async () => {
    const send = async () => (await channel()).send({ content: 'once', nonce: 'job-1', enforceNonce: true });
    expect((await send()).id).to.equal((await send()).id);
    expect(stored().filter(({ content }) => content === 'once')).to.have.lengthOf(1);
  });

  it('The Discord sandbox refuses messages that are too long or show nothing', async () => {
    const path = Routes.channelMessages(sandbox.channel(guild.id).id);
    const post = async (body: unknown) => (await refusal(bot.rest.post(path, { body }))).code;
    expect(await post({ content: 'x'.repeat(2001) })).to.equal(50035);
    expect(await post({ content: '' })).to.equal(50006);
    expect(await post({ embeds: [{ title: 't'.repeat(257) }] })).to.equal(50035);
    expect(await post({ embeds: Array.from({ length: 2 }, () => ({ description: 'd'.repeat(3500) })) })).to.equal(
      50035,
    );
    const button = { type: 2, style: 1, custom_id: 'same', label: 'Same' };
    expect(await post({ content: 'x', components: [{ type: 1, components: [button, button] }] })).to.equal(50035);
    const menu = { type: 5, custom_id: 'who' };
    expect(await post({ content: 'x', components: [{ type: 1, components: [menu, button] }] })).to.equal(50035);
    expect(await post({ content: 'x', components: [{ type: 10, content: 'text' }] })).to.equal(50035);
    expect(await post({ content: 'x', message_reference: { message_id: '1' } })).to.equal(10008);
  });

  it('A sandbox bot needs to see the channel and to be allowed to write to send a message', async () => {
    const silent = sandbox.addGuild({ name: 'Silent', ownerId: owner.id, botPermissions: 0n });
    const path = Routes.channelMessages(sandbox.channel(silent.id).id);
    const post = () => bot.rest.post(path, { body: { content: 'x' } });
    sandbox.updateRole(silent.id, silent.id, { permissions: PermissionFlagsBits.ViewChannel });
    expect(await refusal(post())).to.include({ status: 403, code: 50013 });
    sandbox.updateRole(silent.id, silent.id, { permissions: 0n });
    expect(await refusal(post())).to.include({ status: 403, code: 50001 });
    expect(await refusal(bot.rest.get(Routes.channel(owner.id)))).to.include({ status: 404, code: 10003 });
  });

  it('A sandbox bot writes direct messages, unless they are closed or there is no guild in common', async () => {
    const una = sandbox.addUser({ username: 'una' });
    const code = () =>
      bot.users.send(una.id, 'hello').then(
        () => 'sent',
        (error: unknown) => (error instanceof DiscordAPIError ? error.code : String(error)),
      );
    expect(await code()).to.equal(50278);
    sandbox.join(guild.id, una.id);
    expect(await code()).to.equal('sent');
    sandbox.acceptDirectMessages(una.id, false);
    expect(await code()).to.equal(50007);
    sandbox.acceptDirectMessages(una.id, true);
    expect(await code()).to.equal('sent');
    expect(sandbox.directMessages(una.id).map(({ content }) => content)).to.deep.equal(['hello', 'hello']);
    expect(await refusal(bot.users.fetch(guild.id))).to.include({ status: 404, code: 10013 });
  });
});
