import { z } from 'zod';
import { lineOfText, optionalLine } from '../../lib/fields.js';
import { gameId, snowflake } from '../../lib/ids.js';
import { locale, t } from '../../lib/translate.js';
import { noRestrictions, restrictions } from './restrictions.js';

/** The methods a guild can choose for proving a Roblox account. */
export const verificationMethod = z.enum(['oauth', 'profile_code']);
export type VerificationMethod = z.output<typeof verificationMethod>;

/** All proof methods. A guild that allows sign-in also allows the Roblox account connected on Discord (VER-19). */
export const proofMethod = z.enum(['oauth', 'discord_connection', 'profile_code', 'game_code']);
export type ProofMethod = z.output<typeof proofMethod>;

const bypassRoles = z
  .array(snowflake)
  .max(10)
  .refine((ids) => new Set(ids).size === ids.length, { error: () => t('input.twice') });

/** A guild's complete settings document (SET-2). */
export const guildSettings = z
  .strictObject({
    mode: z
      .enum(['enforce', 'observe'])
      .describe(
        '`observe`: everything is read and planned, and no member is changed on Discord, since another bot hands out the roles.',
      ),
    verification: z.strictObject({
      enabled: z.boolean(),
      methods: z
        .array(verificationMethod)
        .min(1)
        .max(verificationMethod.options.length)
        .refine((methods) => new Set(methods).size === methods.length, { error: () => t('input.twice') }),
      minimumAccountAgeDays: z
        .int()
        .min(0)
        .max(3650)
        .describe('A Roblox account younger than this is refused as `account_too_new`.'),
    }),
    nickname: z.strictObject({
      enabled: z.boolean(),
      template: lineOfText(200).describe(
        'Takes {gameUsername}, {gameDisplayName}, {chatUsername}, {groupRank:ID} and {groupRole:ID}; cut to 32 characters, and the game username where nothing is left.',
      ),
    }),
    bypass: z
      .strictObject({ keepRoles: bypassRoles, keepNickname: bypassRoles })
      .describe('Members with one of these roles keep their roles or their nickname as they are.'),
    joinMessage: z
      .strictObject({
        to: z.enum(['none', 'channel', 'dm']).describe('The place for the message to new unverified members.'),
        channelId: snowflake.nullable(),
        text: optionalLine(1500).describe(
          'In Markdown, with {member} and {server}; null: the default text in the language of the guild.',
        ),
      })
      .refine(({ to, channelId }) => to !== 'channel' || channelId !== null, {
        path: ['channelId'],
        error: () => t('input.channel'),
      }),
    restrictions,
    autoLinkOnJoin: z.boolean().describe('People with a known account are linked when they join.'),
    waitForRules: z
      .boolean()
      .describe("Members get roles only after they have accepted the server's rules on Discord."),
    reveal: z
      .enum(['auto', 'ask'])
      .describe(
        'Whether a known account is shown and used here automatically, or only once its person has agreed; verifying here is agreeing.',
      ),
    accounts: z
      .enum(['any', 'main'])
      .describe(
        'The accounts of a person that come into use here: `main` only their main one, or any that they choose.',
      ),
    unlink: z
      .strictObject({ removeRoles: z.boolean(), resetNickname: z.boolean() })
      .describe('The things removed when someone is unlinked: roles given by mappings, and the nickname.'),
    resync: z
      .strictObject({ automatic: z.boolean(), everyHours: z.int().min(1).max(168).nullable() })
      .describe('The automatic resync; `everyHours` null: as often as the plan allows.'),
    massRemoval: z
      .strictObject({ sharePercent: z.int().min(1).max(100), people: z.int().min(1) })
      .describe(
        'A resync waits for an admin if it would take roles from at least this many people and more than this share.',
      ),
    universeIds: z
      .array(gameId)
      .max(5)
      .refine((ids) => new Set(ids).size === ids.length, { error: () => t('input.twice') })
      .describe('The Roblox experiences, by universe id, that are told of changed look-ups at once.'),
    logChannelId: snowflake.nullable().describe('The channel that gets the log; null: none.'),
    trustDiscordAdmins: z.boolean().describe('Members with Manage Server on Discord count as team role `admin`.'),
    locale: locale.describe(
      "The language of the bot's posts in this guild, and of private answers to people with an unsupported language.",
    ),
  })
  .meta({ id: 'Settings' });
export type GuildSettings = z.output<typeof guildSettings>;

/** The settings that every document names: those from before the first later one. */
const firstSettings = {
  verification: true,
  nickname: true,
  bypass: true,
  joinMessage: true,
  restrictions: true,
  autoLinkOnJoin: true,
  reveal: true,
  unlink: true,
  resync: true,
  massRemoval: true,
  logChannelId: true,
  trustDiscordAdmins: true,
  locale: true,
} as const;

/** Settings in a request: a document from before a setting existed leaves that setting as it is. */
export const wishedSettings = guildSettings
  .omit(firstSettings)
  .partial()
  .extend(guildSettings.pick(firstSettings).shape)
  .meta({ id: 'WishedSettings' });
export type WishedSettings = z.output<typeof wishedSettings>;

/** A request's settings, with the current value where it names none. Pure. */
export const settingsWished = (wish: WishedSettings, current: GuildSettings): GuildSettings =>
  Object.assign({ ...current }, Object.fromEntries(Object.entries(wish).filter(([, value]) => value !== undefined)));

export const defaultSettings: GuildSettings = {
  mode: 'enforce',
  verification: { enabled: true, methods: ['oauth', 'profile_code'], minimumAccountAgeDays: 0 },
  nickname: { enabled: true, template: '{gameUsername}' },
  bypass: { keepRoles: [], keepNickname: [] },
  joinMessage: { to: 'none', channelId: null, text: null },
  restrictions: noRestrictions,
  autoLinkOnJoin: true,
  waitForRules: true,
  reveal: 'auto',
  accounts: 'any',
  unlink: { removeRoles: true, resetNickname: true },
  resync: { automatic: true, everyHours: null },
  massRemoval: { sharePercent: 30, people: 20 },
  universeIds: [],
  logChannelId: null,
  trustDiscordAdmins: true,
  locale: 'en',
};

/**
 * The stored settings, with defaults for values never set or unknown to an older version; `reveal` comes from the
 * installation.
 */
export function withDefaults(
  stored: Readonly<Record<string, unknown>>,
  reveal: GuildSettings['reveal'],
): GuildSettings {
  const usually = Object.entries({ ...defaultSettings, reveal });
  const whole = usually.map(([name, usual]) => [name, completed(stored[name], usual)]);
  return guildSettings.parse(Object.fromEntries(whole));
}

function completed(value: unknown, usual: unknown): unknown {
  if (value === undefined) return usual;
  return isSection(value) && isSection(usual) ? { ...usual, ...value } : value;
}

/** Whether a settings value has its own fields. */
export const isSection = (value: unknown): value is object =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
