import type { Copy } from './copy.js';

export type Step = (copy: Copy) => void;

/** A recipe from CONTRIBUTING, followed for something made up. Places are files or folders, or commands to run. */
export interface Recipe {
  /** Its heading under "How to add …". */
  thing: string;
  /** The code that uses the new thing, which the recipe does not contain. */
  given?: Step;
  /** The places to begin with. */
  first: Readonly<Record<string, Step>>;
  /** Places that the compiler asks for, by an error there or in the file `blames`. */
  compiled?: Readonly<Record<string, { step: Step; blames?: string }>>;
  /** Places without which the test by this title fails. */
  tested?: Readonly<Record<string, { step?: Step; test: string }>>;
  /** Places that CONTRIBUTING names for other things in the kind than the one made up. */
  else?: readonly string[];
}

export const bot = 'src/locales';
export const pages = 'src/dashboard/locales';
export const generated = 'The generated files are those of the service and the theme as they are now';
export const recorded = 'Every operation has an example of a request and its answer, which fit their schemas';
export const hasEveryText = 'The language de has every text, and no other';

/** Adds a text after another one in a file. */
export const add =
  (path: string, after: string, text: string): Step =>
  (copy) =>
    copy.add(path, after, text);
export const write =
  (path: string, text: string): Step =>
  (copy) =>
    copy.write(path, text);
/** Adds texts in English, or in all other languages. */
export const english =
  (folder: string, words: Readonly<Record<string, string>>): Step =>
  (copy) =>
    copy.addWords(folder, words, ['en']);
export const translated =
  (folder: string, words: Readonly<Record<string, string>>): Step =>
  (copy) =>
    copy.addWords(
      folder,
      words,
      copy.languages(folder).filter((language) => language !== 'en'),
    );
export const everywhere =
  (folder: string, words: Readonly<Record<string, string>>): Step =>
  (copy) =>
    copy.addWords(folder, words);
