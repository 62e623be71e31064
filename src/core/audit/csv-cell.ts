/** What a spreadsheet may take for the beginning of a formula; it also reads the full-width forms. */
const sign = '[=+\\-@＝＋－＠]';
/** What a spreadsheet may skip at the beginning of a cell. */
const skipped = '[\\s\\p{Cc}\\p{Cf}]';
const risky = new RegExp(`^(?:${skipped}*${sign}|[\\t\\r\\n\\0\\u00A0\\uFEFF])`, 'u');

/** Most cells begin with a letter or a digit: those need no closer look. */
const harmless = /^[0-9A-Za-z]/;

/**
 * A cell that no spreadsheet takes for a formula: one that might be gets an apostrophe in front, which makes it text
 * (OWASP, CSV Injection).
 */
export function formulaSafe(cell: string): string {
  return !harmless.test(cell) && risky.test(cell) ? `'${cell}` : cell;
}
