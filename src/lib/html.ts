import { stripInvisible } from './invisible.js';

/** Markup that is safe to send: every value in it was escaped or was already markup. */
export class Markup {
  constructor(readonly source: string) {}
}

const escapes: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

/**
 * An HTML template. Values are escaped and lose invisible characters, unless they are markup; lists are joined; false
 * and null produce nothing.
 */
export function markup(parts: TemplateStringsArray, ...values: readonly unknown[]): Markup {
  return new Markup(parts.map((part, index) => part + render(values[index])).join(''));
}

function render(value: unknown): string {
  if (value === undefined || value === null || value === false) return '';
  if (value instanceof Markup) return value.source;
  if (Array.isArray(value)) return value.map(render).join('');
  return stripInvisible(String(value)).replace(/[&<>"']/g, (character) => escapes[character] ?? character);
}
