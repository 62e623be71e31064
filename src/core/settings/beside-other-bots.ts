import { type GuildFacts, readGuildFacts } from '../../platforms/discord/guild-facts.js';
import { otherBots } from '../../platforms/discord/other-bots.js';
import { linkSource } from '../../platforms/link-sources/link-sources.js';
import { readSettings } from './settings-service.js';

/** A guild's facts that an import shows beside its effect (PEOPLE-26). */
export interface BesideOtherBots {
  /** Whether the guild only observes, so that nobody is changed. */
  observing: boolean;
  /** The other bots that may give roles, by their roles' names. */
  otherBots: { name: string }[];
}

/** Throws ChatPlatformUnavailable. */
export async function besideOtherBots(guildId: string): Promise<BesideOtherBots> {
  const [{ mode }, facts] = await Promise.all([readSettings(guildId), readGuildFacts(guildId)]);
  return { observing: mode === 'observe', otherBots: otherBots(facts).map((name) => ({ name })) };
}

/**
 * The bots of Roblox accounts with a permission to give roles in this guild, by their roles' names: each would undo
 * Rolelink's changes (OBS-27). Other bots may keep their permission. Pure.
 */
export const movedFrom = (facts: GuildFacts): string[] =>
  otherBots(facts).filter((name) => linkSource.options.some((bot) => name.toLowerCase().includes(bot)));
