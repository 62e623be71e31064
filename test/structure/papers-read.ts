import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { root } from './source-files.js';

/** A text that people read: Markdown, or `.env.example`. */
export interface Paper {
  /** From the project's folder. */
  path: string;
  text: string;
}

const inFolder = (folder: string): string[] =>
  readdirSync(join(root, folder))
    .filter((name) => name.endsWith('.md'))
    .map((name) => `${folder}/${name}`);

export const readText = (path: string): string => readFileSync(join(root, path), 'utf8');

/** The specification's pages, and all papers with them. */
export const specPaths = inFolder('docs/spec');
export const paperPaths = [
  ...['README.md', 'CONTRIBUTING.md', 'CHANGELOG.md', '.env.example'],
  ...inFolder('docs'),
  ...specPaths,
];

export const readPapers = (paths: readonly string[]): Paper[] => paths.map((path) => ({ path, text: readText(path) }));

export const withoutCode = (text: string): string => text.replaceAll(/^ *```.*?^ *```$/gms, '');
