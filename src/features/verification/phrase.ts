import { randomInt } from 'node:crypto';
import { phraseWords } from './phrase-words.js';

/** The first word names the product, so that the phrase can't pass for a greeting or a password. */
const product = 'Rolelink';

/** Six of 323 words: about 50 bits. It can't be guessed, and no profile contains it by chance. */
const wordsInPhrase = 6;

/** A new phrase for a Roblox profile's About text: the product's name and six different words. */
export function newPhrase(): string {
  const words = new Set<string>();
  while (words.size < wordsInPhrase) words.add(phraseWords[randomInt(phraseWords.length)] ?? '');
  return [product, ...words].join(' ');
}

/**
 * Whether `text` contains the whole `phrase` in order. Letter case, accents, look-alike widths (Unicode NFKD) and
 * anything between the words except letters and digits don't matter: people retype it, and Roblox reflows it.
 */
export function containsPhrase(text: string, phrase: string): boolean {
  const wanted = letters(phrase);
  return wanted !== '' && letters(text).includes(wanted);
}

const letters = (text: string): string =>
  text
    .normalize('NFKD')
    .toLowerCase()
    .replace(/[^\p{L}\p{N}]/gu, '');
