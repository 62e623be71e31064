import { expect } from 'chai';
import type { SandboxInteraction } from '../sandbox/discord/sandbox-interaction.js';
import { type SandboxMessage, wordsOf } from '../sandbox/discord/sandbox-message.js';

/** An answer visible only to the interaction's person, in its complete form. */
export async function privateAnswer(
  asked: SandboxInteraction | Promise<SandboxInteraction>,
): Promise<SandboxMessage & { words: string }> {
  const interaction = await asked;
  expect(interaction.ephemeral, 'is private').to.equal(true);
  const message = await interaction.reply();
  return { ...message, words: wordsOf(message) };
}

export async function privateWords(asked: SandboxInteraction | Promise<SandboxInteraction>): Promise<string> {
  return (await privateAnswer(asked)).words;
}

/** The words in the first message that followed an answer. */
export function followUpWords(interaction: SandboxInteraction): string {
  const [message] = interaction.followUps();
  return message === undefined ? '' : wordsOf(message);
}

/** A message's button labels, in their order. */
export const labelsOf = (message: SandboxMessage): (string | undefined)[] => message.buttons.map(({ label }) => label);

/** The words for the About text that a message shows in its code block. */
export function phraseIn(message: { words: string }): string {
  const phrase = /```\n(.+)\n```/.exec(message.words)?.[1];
  if (phrase === undefined) throw new Error(`There is no phrase in: ${message.words}`);
  return phrase;
}
