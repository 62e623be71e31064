import type { BaseInteraction } from 'discord.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { logger } from '../../lib/logger.js';
import { currentLocale, withLocale } from '../../lib/translate.js';
import { localeOfClient } from './discord-locales.js';

/**
 * Runs `work` in the language of the interaction's author, or in the guild's language if theirs is unsupported
 * (DISC-16). `work` receives the guild's settings: null outside guilds, and if they could not be read.
 */
export async function inPersonsLanguage<T>(
  { guildId, locale }: BaseInteraction,
  work: (settings: GuildSettings | null) => Promise<T>,
): Promise<T> {
  const settings = guildId === null ? null : await settingsOrNull(guildId);
  return withLocale(localeOfClient(locale) ?? settings?.locale ?? currentLocale(), () => work(settings));
}

/** A text in the wrong language is better than no answer. */
function settingsOrNull(guildId: string): Promise<GuildSettings | null> {
  return readSettings(guildId).catch((err: unknown) => {
    logger.warn({ err, guildId }, 'guild language not read');
    return null;
  });
}
