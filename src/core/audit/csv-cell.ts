/** Characters that a spreadsheet reads as the start of a formula, including full-width forms. */
const sign = '[=+\\-@＝＋－＠]';
/** Characters that a spreadsheet ignores at the start of a cell. */
const skipped = '[\\s\\p{Cc}\\p{Cf}]';
const risky = new RegExp(`^(?:${skipped}*${sign}|[\\t\\r\\n\\0\\u00A0\\uFEFF])`, 'u');

/** A fast path: most cells begin with a letter or digit and need no further check. */
const harmless = /^[0-9A-Za-z]/;

/** Makes a cell safe: an apostrophe turns a possible formula into text (OWASP, CSV Injection). */
export function formulaSafe(cell: string): string {
  return !harmless.test(cell) && risky.test(cell) ? `'${cell}` : cell;
}

/** Characters that require quotes; a lone CR or LF splits rows too. */
const splitting = /[",\r\n]/;

/**
 * A CSV line with its line ending (RFC 4180). Handwritten, since csv-stringify would take a quarter of the export's
 * time at a million lines.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (splitting.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join()}\r\n`;
}
