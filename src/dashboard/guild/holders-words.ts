import type { Words } from '../i18n/words.js';

/** How many people have a role, in a sentence; null: Discord doesn't say. */
export const holdersWords = (role: string, count: number | null, { t }: Pick<Words, 't'>): string =>
  count === null ? t('holders.unknown', { role }) : t('holders.known', { role, count });
