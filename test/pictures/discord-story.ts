import { phraseIn, privateAnswer } from '../commands/private-answer.js';
import { buildMember } from '../support/build.js';
import { world } from '../support/world.js';
import type { ShownMessage } from './discord-page.js';
import type { ShowcaseGuild } from './showcase-guild.js';

const look = {
  title: 'Verify your Roblox account',
  text: 'Press the button to link your Roblox account and get your roles in this server.',
  button: 'Verify',
  color: '4f3cc9',
};

/** A server's panel, and what a person reads who has verified by it. */
export async function playVerification(guild: ShowcaseGuild): Promise<ShownMessage[]> {
  const { discord, roblox } = await world();
  const { guildId, ownerId } = guild;
  await privateAnswer(discord.command(guildId, ownerId, 'panel', look));
  const panel = discord.messages(discord.channel(guildId).id).at(-1);
  if (panel === undefined) throw new Error('There is no panel.');
  const { id: chatUserId } = discord.addUser({ username: 'vega' });
  const { id: gameUserId } = roblox.addUser({ username: 'VegaNorth', createdAt: new Date(0) });
  roblox.setRank(guild.groupIds.get('Space Rangers') ?? '', gameUserId, 150);
  const person = { chatUserId, username: 'vega', gameUserId, gameUsername: 'VegaNorth' };
  await buildMember(guild, { person, linked: false });
  const choice = await privateAnswer(discord.press(guildId, chatUserId, panel, 'Verify'));
  const form = await discord.press(guildId, chatUserId, choice, 'Use a profile code');
  const phrase = await privateAnswer(discord.submit(form, { username: 'VegaNorth' }));
  roblox.setAbout(gameUserId, phraseIn(phrase));
  const done = await privateAnswer(discord.press(guildId, chatUserId, phrase, "I've added it"));
  return [{ message: panel }, { message: done }];
}
