/**
 * A value as a person types it: true and false, a number that a double holds exactly, or a text. Quotation marks make a
 * text of it. Pure.
 */
export function typedValue(typed: string): string | number | boolean {
  const text = typed.trim();
  if (/^(?:true|false)$/i.test(text)) return text.toLowerCase() === 'true';
  const number = /^-?\d{1,16}(?:\.\d{1,10})?$/.test(text) ? Number(text) : Number.NaN;
  if (Math.abs(number) <= Number.MAX_SAFE_INTEGER) return number;
  return /^"(.*)"$/.exec(text)?.[1] ?? text;
}
