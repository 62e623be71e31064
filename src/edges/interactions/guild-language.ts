import { type BaseInteraction, Locale as DiscordLocale } from 'discord.js';
import type { GuildSettings } from '../../core/settings/guild-settings.js';
import { readSettings } from '../../core/settings/settings-service.js';
import { logger } from '../../lib/logger.js';
import { currentLocale, withLocale } from '../../lib/translate.js';

/**
 * Runs `work` in the language that the guild of the interaction has chosen (SPEC §4 Settings), or in a direct message the
 * person, and hands it the guild's settings; null outside of a guild, and when they could not be read.
 */
export async function inGuildLanguage<T>(
  { guildId, locale }: BaseInteraction,
  work: (settings: GuildSettings | null) => Promise<T>,
): Promise<T> {
  if (guildId === null) return withLocale(locale === DiscordLocale.German ? 'de' : 'en', () => work(null));
  // Words in the wrong language are better than none.
  const settings = await readSettings(guildId).catch((err: unknown) => {
    logger.warn({ err, guildId }, 'The language of a guild could not be read');
    return null;
  });
  return withLocale(settings?.locale ?? currentLocale(), () => work(settings));
}
