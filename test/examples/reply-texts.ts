import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { formsOf, placeholder } from '../../src/lib/fill-text.js';
import { root } from '../structure/source-files.js';

/** The page with all replies, and the heading below which it lists the texts that no transcript on it shows. */
export const repliesFile = 'test/fixtures/replies.md';
export const listHeading = '## Texts that were not played';

/** Keeps the replies: no command descriptions, no log words, no facts or permissions that Discord shows, no pages. */
const isReply = (key: string): boolean =>
  !/^(command|option|linked|log|log_field|log_kind|log_reason|permission|page|title)\./.test(key);

/** The English texts by name, but for those that are no replies. */
export function replyTexts(): [key: string, text: string][] {
  const all: Record<string, string> = JSON.parse(readFileSync(join(root, 'src/locales/en.json'), 'utf8'));
  return Object.entries(all).filter(([key]) => isReply(key));
}

/** The lines that list the texts which `transcripts` don't show. */
export function listOfSilent(transcripts: string): string[] {
  return replyTexts()
    .filter(([, text]) => !patternOf(text).test(transcripts))
    .map(([key, text]) => `${key}: ${JSON.stringify(text)}`);
}

const escaped = (text: string): string => text.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&');

/** A text's pattern in a transcript, for any values: Markdown's marks are left out there. */
function patternOf(text: string): RegExp {
  const read = text.replaceAll(/\*\*|`+/g, '');
  let source = '';
  let at = 0;
  for (const match of read.matchAll(placeholder)) {
    const forms = Object.values(formsOf(match[2] ?? '')).map((form) => escaped(form).replaceAll('#', '[\\d.,]+'));
    source +=
      escaped(read.slice(at, match.index)) + (forms.length === 0 ? '\\s*[^\\n]*?\\s*' : `(?:${forms.join('|')})`);
    at = match.index + match[0].length;
  }
  return new RegExp(source + escaped(read.slice(at)));
}
