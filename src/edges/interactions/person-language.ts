import type { BaseInteraction } from 'discord.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { logger } from '../../lib/logger.js';
import { currentLocale, withLocale } from '../../lib/translate.js';
import { localeOfClient } from './discord-locales.js';

/**
 * Runs `work` in the language of the person whose interaction it is, or where the bot does not speak it in the guild's
 * (DISC-16), and hands it the guild's settings; null outside of a guild, and when they could not be read.
 */
export async function inPersonsLanguage<T>(
  { guildId, locale }: BaseInteraction,
  work: (settings: GuildSettings | null) => Promise<T>,
): Promise<T> {
  const settings = guildId === null ? null : await settingsOrNull(guildId);
  return withLocale(localeOfClient(locale) ?? settings?.locale ?? currentLocale(), () => work(settings));
}

/** Words in the wrong language are better than none. */
function settingsOrNull(guildId: string): Promise<GuildSettings | null> {
  return readSettings(guildId).catch((err: unknown) => {
    logger.warn({ err, guildId }, 'The language of a guild could not be read');
    return null;
  });
}
