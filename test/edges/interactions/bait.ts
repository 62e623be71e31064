import { expect } from 'chai';
import { type SandboxMessage, wordsOf } from '../../sandbox/discord/sandbox-message.js';

/** A name with 99 characters and everything that Discord would interpret, and with invisible characters. */
export const bait =
  'Zork` [x](https://evil.io) <@&666> <@667> @everyone discord.gg/e ||s|| _Q_ </go:1> <t:1:R>\n# H\u202e\u200b\\';

/** Text that Discord would interpret without its escapes. */
const traps = [
  'Zork`',
  '[x](',
  'https://evil',
  '<@&666',
  '<@667',
  '@everyone',
  'discord.gg/',
  '||',
  '_Q_',
  '</go',
  '<t:1:',
  '\n# H',
];
/** Characters that turn the text direction, invisible ones, and controls other than the line feed. */
const hidden = /[\u202a-\u202e\u2066-\u2069\u200b-\u200f\u2060\ufeff\u00ad]|[^\P{Cc}\n]/u;

/** Fails when text from people would do something in Discord. Returns whether a name from `bait` is in it. */
export function expectHarmless(words: string): boolean {
  const unescaped = words.replaceAll(/\\[^0-9A-Za-z\s]/g, '');
  for (const trap of traps) expect(unescaped, words).not.to.contain(trap);
  expectNothingHidden(words);
  return words.includes('Zork');
}

/** The check for text that Discord does not interpret: suggestions, labels. */
export function expectNothingHidden(text: string): void {
  expect(text, JSON.stringify(text)).not.to.match(hidden);
}

/** A message's words, once they are found harmless. */
export function harmlessWords(message: SandboxMessage): string {
  const words = wordsOf(message);
  expectHarmless(words);
  for (const { label = '' } of message.buttons) expectNothingHidden(label);
  return words;
}
