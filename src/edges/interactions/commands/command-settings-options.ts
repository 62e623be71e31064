import {
  ChannelType,
  type ChatInputCommandInteraction,
  type SharedNameAndDescription,
  type SlashCommandSubcommandBuilder,
} from 'discord.js';
import { z } from 'zod';
import { type GuildSettings, guildSettings, verificationMethod } from '../../../core/settings/guild-settings.js';
import { restrictions } from '../../../core/settings/restrictions.js';
import { InvalidRequest } from '../../../lib/errors.js';
import { locale, t, withLocale } from '../../../lib/translate.js';
import { parseGameGroupReference } from '../../../platforms/roblox/game-groups.js';
import { parseGameUserId } from '../../../platforms/roblox/game-user-search.js';
import { parseUniverseId } from '../../../platforms/roblox/universe-messages.js';
import { limitNumber, limitText } from './command-limits.js';

/**
 * Each /settings subcommand's options in display order, with the setting that each changes. Discord takes 25 options a
 * subcommand, so a new setting stands with its subject.
 */
const subjects = {
  set: {
    verification: 'verification.enabled',
    methods: 'verification.methods',
    minimum_account_age: 'verification.minimumAccountAgeDays',
    nickname: 'nickname.enabled',
    nickname_template: 'nickname.template',
    keep_roles: 'bypass.keepRoles',
    keep_nickname: 'bypass.keepNickname',
    link_on_join: 'autoLinkOnJoin',
    reveal: 'reveal',
    accounts: 'accounts',
    unlink_takes_roles: 'unlink.removeRoles',
    unlink_resets_nickname: 'unlink.resetNickname',
    log_channel: 'logChannelId',
    no_log_channel: 'logChannelId',
    trust_discord_admins: 'trustDiscordAdmins',
    universes: 'universeIds',
    language: 'locale',
  },
  restrictions: {
    restrict_action: 'restrictions.action',
    restrict_account_age: 'restrictions.minimumAccountAgeDays',
    restrict_required_groups: 'restrictions.requiredGroupIds',
    restrict_denied_groups: 'restrictions.deniedGroupIds',
    restrict_denied_users: 'restrictions.deniedGameUserIds',
    restrict_reason: 'restrictions.reason',
  },
  resync: {
    automatic_resync: 'resync.automatic',
    resync_every_hours: 'resync.everyHours',
    mass_removal_percent: 'massRemoval.sharePercent',
    mass_removal_people: 'massRemoval.people',
  },
} as const;
export type SettingsSubject = keyof typeof subjects;

const settingOf = { ...subjects.set, ...subjects.restrictions, ...subjects.resync } as const;
type OptionName = keyof typeof settingOf;
const optionNames = Object.keys(settingOf) as OptionName[];

/** The /settings option that changes the setting at `path`, or an item in it; undefined if none does. */
export const optionOfSetting = (path: string): string | undefined =>
  optionNames.find((name) => `${path}.`.startsWith(`${settingOf[name]}.`));

/** Adds a subject's options. */
export function addSettingsOptions(subject: SettingsSubject, command: SlashCommandSubcommandBuilder): void {
  for (const name of Object.keys(subjects[subject]) as OptionName[]) addOption(command, name);
}

function addOption(set: SlashCommandSubcommandBuilder, name: OptionName): void {
  const named = <O extends SharedNameAndDescription>(option: O): O =>
    option.setName(name).setDescription(t(`option.set.${name}`));
  const choices = choicesOf(name);
  const schema = schemaOf(name);
  if (choices.length > 0) set.addStringOption((option) => named(option).addChoices(choices));
  else if (name === 'log_channel') {
    set.addChannelOption((option) =>
      named(option).addChannelTypes(ChannelType.GuildText, ChannelType.GuildAnnouncement),
    );
  } else if (schema instanceof z.ZodString && name === 'nickname_template') {
    set.addStringOption((option) => limitText(named(option), schema).setAutocomplete(true));
  } else if (schema instanceof z.ZodString && name === 'restrict_reason') {
    set.addStringOption((option) => limitText(named(option), schema));
  } else if (schema instanceof z.ZodArray) {
    set.addStringOption(named);
  } else if (schema instanceof z.ZodNumber) {
    const min = name === 'resync_every_hours' ? 0 : schema.minValue;
    set.addIntegerOption((option) => limitNumber(named(option), schema, min));
  } else set.addBooleanOption(named);
}

function choicesOf(name: OptionName): { name: string; value: string }[] {
  if (name === 'language') {
    return locale.options.map((value) => ({ name: withLocale(value, () => t('settings.this_language')), value }));
  }
  if (name === 'restrict_action') {
    return restrictions.shape.action.options.map((value) => ({ name: t(`option.set.${name}.${value}`), value }));
  }
  if (name === 'reveal') {
    return guildSettings.shape.reveal.options.map((value) => ({ name: t(`option.set.reveal.${value}`), value }));
  }
  if (name === 'accounts') {
    return guildSettings.shape.accounts.options.map((value) => ({ name: t(`settings.accounts_${value}`), value }));
  }
  if (name !== 'methods') return [];
  return (['both', ...verificationMethod.options] as const).map((value) => ({
    name: t(`option.set.methods.${value}`),
    value,
  }));
}

function schemaOf(name: OptionName): z.core.$ZodType | undefined {
  let schema: z.core.$ZodType | undefined = guildSettings;
  for (const step of settingOf[name].split('.')) {
    schema = schema instanceof z.ZodObject ? schema.shape[step] : undefined;
  }
  return schema instanceof z.ZodNullable ? schema.unwrap() : schema;
}

/**
 * Applies a /settings subcommand's options to the current settings. Omitted options keep their value. Throws
 * InvalidRequest if the result is invalid or an option contradicts another.
 */
export function applyOptions(options: ChatInputCommandInteraction['options'], current: GuildSettings): GuildSettings {
  const isWithout = options.getBoolean('no_log_channel') ?? false;
  if (isWithout && options.getChannel('log_channel') !== null) {
    throw new InvalidRequest([{ path: 'no_log_channel', message: t('settings.log_channel_or_none') }]);
  }
  const wished = structuredClone(current);
  for (const name of optionNames) {
    const value = options.get(name)?.value;
    if (value !== undefined && !(name === 'no_log_channel' && !isWithout)) {
      writeSetting(wished, settingOf[name], meaningOf(name, value));
    }
  }
  const parsed = guildSettings.safeParse(wished);
  if (parsed.success) return parsed.data;
  throw new InvalidRequest(parsed.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

function meaningOf(name: OptionName, value: string | number | boolean): unknown {
  if (name === 'methods') return value === 'both' ? verificationMethod.options : [value];
  if (name === 'no_log_channel') return null;
  if (name === 'keep_roles' || name === 'keep_nickname') return rolesIn(name, String(value));
  if (name === 'restrict_required_groups' || name === 'restrict_denied_groups') {
    return idsIn(name, String(value), parseGameGroupReference);
  }
  if (name === 'universes') return idsIn(name, String(value), parseUniverseId);
  if (name === 'restrict_denied_users') return idsIn(name, String(value), parseGameUserId);
  if (name === 'restrict_reason') return isNone(String(value)) ? null : value;
  // In Discord, zero hours means: as often as the plan allows.
  return name === 'resync_every_hours' ? value || null : value;
}

/** The roles mentioned in an option; the word "none" means no roles. */
function rolesIn(path: OptionName, text: string): string[] {
  const roleIds = [...text.matchAll(/<@&(\d+)>/g)].flatMap(([, roleId]) => roleId ?? []);
  if (roleIds.length === 0 && !isNone(text)) throw new InvalidRequest([{ path, message: t('settings.mention_roles') }]);
  return [...new Set(roleIds)];
}

export const isNone = (text: string): boolean => [t('settings.none_typed'), 'none'].includes(text.trim().toLowerCase());

/** The ids given by id or address, separated by spaces or commas; the word "none" means no ids. */
function idsIn(path: OptionName, text: string, parse: (reference: string) => string | null): string[] {
  if (isNone(text)) return [];
  const ids = text.split(/[\s,;]+/).flatMap((reference) => (reference === '' ? [] : [parse(reference)]));
  if (ids.length === 0 || ids.includes(null))
    throw new InvalidRequest([
      { path, message: t(path === 'universes' ? 'settings.universe_ids' : 'settings.game_ids') },
    ]);
  return [...new Set(ids.filter((id) => id !== null))];
}

function writeSetting(settings: object, path: string, value: unknown): void {
  const [section, field] = path.split('.');
  if (field === undefined) Object.assign(settings, { [path]: value });
  else Object.assign(Reflect.get(settings, section ?? ''), { [field]: value });
}
