import { phraseIn } from '../commands/private-answer.js';
import type { SandboxInteraction } from '../sandbox/discord/sandbox-interaction.js';
import { buildGuild, buildMember, buildPerson } from '../support/build.js';
import { world } from '../support/world.js';
import { nameAll, type Transcript } from './transcript.js';

/** A person with an account in two servers, who proves a second one. */
export async function secondAccount(transcript: Transcript): Promise<void> {
  const { discord, roblox } = await world();
  transcript.section('A second account');
  const [home, fleet] = [await buildGuild({ name: 'Builders' }), await buildGuild({ name: 'Star Fleet' })];
  const ben = await buildMember(home, { person: await buildPerson({ gameUsername: 'BenPlays' }) });
  await buildMember(fleet, { person: ben });
  const { gameUsername, gameUserId } = await buildPerson({ gameUsername: 'BenBuilds' });
  await nameAll(transcript, fleet.guildId);
  const hear = (what: string, asked: Promise<SandboxInteraction>) => transcript.hear(`**Ben** ${what}`, asked);
  const press = (message: Parameters<typeof discord.press>[2], label: string) =>
    discord.press(fleet.guildId, ben.chatUserId, message, label);
  const known = await hear('uses `/verify`', discord.command(fleet.guildId, ben.chatUserId, 'verify'));
  const choice = await hear('presses *Link another account*', press(known, 'Link another account'));
  const form = await press(choice, 'Use a profile code');
  const phrase = await hear('enters another username', discord.submit(form, { username: gameUsername }));
  roblox.setAbout(gameUserId, phraseIn({ words: phrase.content }));
  const question = await hear("presses *I've added it*", press(phrase, "I've added it"));
  await hear('presses *Use it in this server only*', press(question, 'Use it in this server only'));
  const accounts = await hear('uses `/account`', discord.command(fleet.guildId, ben.chatUserId, 'account'));
  const one = await hear('presses the main account', press(accounts, 'BenPlays'));
  await hear('presses *Use it here*', press(one, 'Use it here'));
}
