import { z } from 'zod';
import { snowflake } from '../lib/ids.js';

/** How a person proves that a Roblox account is theirs. */
export const verificationMethod = z.enum(['oauth', 'profile_code']);
export type VerificationMethod = z.output<typeof verificationMethod>;

/** The settings document of a guild (SPEC §4 Settings). Its defaults are what a guild has that never changed any. */
export const guildSettings = z.strictObject({
  verification: z
    .strictObject({
      enabled: z.boolean(),
      methods: z.array(verificationMethod).min(1),
      /** A Roblox account younger than this is refused as `account_too_new`. */
      minimumAccountAgeDays: z.int().min(0).max(3650),
    })
    .default({ enabled: true, methods: ['oauth', 'profile_code'], minimumAccountAgeDays: 0 }),
  nickname: z
    .strictObject({ enabled: z.boolean(), template: z.string().min(1).max(200) })
    .default({ enabled: true, template: '{gameUsername}' }),
  /** A person whose account is known already is linked when they join. */
  autoLinkOnJoin: z.boolean().default(true),
  unlink: z
    .strictObject({ removeRoles: z.boolean(), resetNickname: z.boolean() })
    .default({ removeRoles: true, resetNickname: true }),
  /** The resync that runs by itself: not more often than the plan allows; null: as often as it allows. */
  resync: z
    .strictObject({ automatic: z.boolean(), everyHours: z.int().min(1).max(168).nullable() })
    .default({ automatic: true, everyHours: null }),
  /** A resync that would take roles from more members than both waits for an admin (SPEC §6.2). */
  massRemoval: z
    .strictObject({ sharePercent: z.int().min(1).max(100), people: z.int().min(1) })
    .default({ sharePercent: 30, people: 20 }),
  logChannelId: snowflake.nullable().default(null),
  /** Members with Administrator or Manage Server count as team role `admin`. */
  trustDiscordAdmins: z.boolean().default(true),
  locale: z.enum(['en']).default('en'),
});
export type GuildSettings = z.output<typeof guildSettings>;

export const defaultSettings: GuildSettings = guildSettings.parse({});
