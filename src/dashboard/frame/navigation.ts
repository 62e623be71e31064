import type { WordKey } from '../i18n/words.js';

/** The pages of a server, in the order of the menu. */
export const guildPages = [{ to: '/g/$guildId', name: 'nav.overview' }] as const satisfies readonly {
  to: string;
  name: WordKey;
}[];
