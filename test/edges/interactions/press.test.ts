import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { Routes } from 'discord.js';
import { componentId, componentNames } from '../../../src/edges/interactions/component-id.js';
import { button } from '../../../src/edges/interactions/press.js';
import { pressButton, say } from '../../../src/edges/interactions/replies/reply.js';
import { callDiscord } from '../../../src/platforms/discord/rest/discord-call.js';
import { privateWords } from '../../commands/private-answer.js';
import { buildGuild } from '../../support/build.js';
import { world } from '../../support/world.js';

describe('Presses', () => {
  const listeners = () => container.stores.get('listeners');
  const pressesOf = (kind: string) =>
    [...listeners().keys()].filter((name) => name.startsWith(`${kind}:`)).map((name) => name.slice(kind.length + 1));

  it('One piece each serves the presses of our messages, whatever they may carry', () => {
    expect(pressesOf('form')).to.have.members(['username', 'setup', 'import', 'people-key']);
    const kinds = ['button', 'menu', 'form'].flatMap(pressesOf);
    expect([...new Set(kinds)]).to.have.members(componentNames);
  });

  it('The boot refuses a second piece for the same press', async () => {
    const piece = button('unlink', { as: 'member' }, async () => say('Another'));
    const error = await listeners()
      .loadPiece({ name: 'press-unlink-again', piece })
      .catch((cause: unknown) => cause);
    expect(error).to.be.an('error').with.property('message', 'Two pieces of listeners are named "button:unlink".');
  });

  it('Presses reach only the listener that finds their piece', () => {
    const asked = [...listeners().values()].filter(({ event }) => event === 'interactionCreate');
    const ours = asked.filter(({ location }) => !location.virtual);
    expect(ours.map(({ name }) => name)).to.deep.equal(['interaction-press']);
  });

  it('A press of a button does not reach the form of the same name', async () => {
    const { discord } = await world();
    const { guildId, ownerId } = await buildGuild();
    const { id: channelId } = discord.channel(guildId);
    const body = say('A button', [pressButton(componentId('username'), 'Press')]);
    await callDiscord((rest) => rest.post(Routes.channelMessages(channelId), { body }));
    const message = discord.messages(channelId).at(-1) ?? { id: '', channelId };
    expect(await privateWords(discord.press(guildId, ownerId, message, 'Press'))).to.contain('no longer works');
  });
});
