/** Characters that a spreadsheet takes for the start of a formula, full-width forms included. */
const sign = '[=+\\-@＝＋－＠]';
/** Characters that a spreadsheet skips at the start of a cell. */
const skipped = '[\\s\\p{Cc}\\p{Cf}]';
const risky = new RegExp(`^(?:${skipped}*${sign}|[\\t\\r\\n\\0\\u00A0\\uFEFF])`, 'u');

/** Most cells begin with a letter or digit and need no closer look. */
const harmless = /^[0-9A-Za-z]/;

/**
 * Makes a cell safe: one that a spreadsheet could take for a formula gets an apostrophe in front, which makes it text
 * (OWASP, CSV Injection).
 */
export function formulaSafe(cell: string): string {
  return !harmless.test(cell) && risky.test(cell) ? `'${cell}` : cell;
}

/** What a cell is quoted for: a lone CR or LF splits rows too. */
const splitting = /[",\r\n]/;

/**
 * A line of a CSV file with its end (RFC 4180). Ours, since for a million lines csv-stringify takes a quarter of what the
 * whole export does.
 */
export function csvLine(cells: readonly string[]): string {
  return `${cells.map((cell) => (splitting.test(cell) ? `"${cell.replaceAll('"', '""')}"` : cell)).join()}\r\n`;
}
