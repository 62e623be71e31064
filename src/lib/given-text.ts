import { InvalidRequest } from './errors.js';
import { t } from './translate.js';

/** Maximum lines in a text that people hand in. The longest list has 10,000 pairs, with a line between any two. */
const mostLines = 20_000;

/**
 * A text that people hand in, counted before anything reads it. Throws InvalidRequest with `path` for more than
 * `mostBytes` or 20,000 lines.
 */
export function boundedText(text: string, path: string, mostBytes: number): string {
  const refuse = (message: string): never => {
    throw new InvalidRequest([{ path, message }]);
  };
  if (Buffer.byteLength(text) > mostBytes) refuse(t('file.too_large', { kib: mostBytes / 1024 }));
  if (hasMoreLines(text)) refuse(t('input.text_lines', { most: mostLines }));
  return text;
}

/** Spreadsheets of old Macs end a line with a carriage return alone. */
function hasMoreLines(text: string): boolean {
  for (const end of ['\n', '\r']) {
    let lines = 1;
    for (let at = text.indexOf(end); at !== -1; at = text.indexOf(end, at + 1)) {
      lines += 1;
      if (lines > mostLines) return true;
    }
  }
  return false;
}

/** A bounded JSON text's value. Throws InvalidRequest with `path` and `words` for any other text. */
export function readJson(text: string, path: string, words: string): unknown {
  try {
    return JSON.parse(text.replace(/^\uFEFF/, ''));
  } catch {
    throw new InvalidRequest([{ path, message: words }]);
  }
}
