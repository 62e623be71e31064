import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { guildCommand } from '../../../src/edges/interactions/commands/command-in-guild.js';
import { note } from '../../../src/edges/interactions/replies/reply.js';
import { world } from '../../support/world.js';

/** Loads a command with this many options, as the boot does. */
async function load(options: number): Promise<unknown> {
  await world();
  const Piece = guildCommand('privacy', {
    as: 'member',
    options(command) {
      for (let at = 1; at <= options; at += 1)
        command.addBooleanOption((option) => option.setName(`option_${at}`).setDescription('An option'));
    },
    run: async () => note('fine', ''),
  });
  return new Piece({ root: '', path: '', name: 'privacy', store: container.stores.get('commands') });
}

describe('A command that Discord would not take', () => {
  it('A command with 26 options ends the boot in words, where Sapphire would leave the command out', async () => {
    await load(25);
    const words = await load(26).catch((error: Error) => error.message);
    expect(words).to.equal("Discord can't take the command /privacy: it has too many options, or a text too long.");
  });
});
