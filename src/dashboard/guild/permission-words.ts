import type { Words } from '../i18n/words.js';

/** A permission as Discord calls it to people: "Manage Messages"; one without words by its name, word by word. */
export function permissionWords(name: string, { has, t }: Pick<Words, 'has' | 't'>): string {
  const key = `permission.${name}`;
  return has(key) ? t(key) : name.replace(/(?<=[a-z])(?=[A-Z])/g, ' ');
}

/** Several permissions, each once: Discord keeps old names along with new ones. */
export const permissionList = (names: readonly string[], words: Pick<Words, 'has' | 't' | 'list'>): string =>
  words.list([...new Set(names.map((name) => permissionWords(name, words)))]);
