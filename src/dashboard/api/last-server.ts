const storageKey = 'rolelink-server';

/** The server id that this browser showed last; null before the first. */
export const lastServer = (): string | null => localStorage.getItem(storageKey);

export const rememberServer = (guildId: string): void => localStorage.setItem(storageKey, guildId);
