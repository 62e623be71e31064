import { ChannelType, type CommandInteractionOptionResolver, type SlashCommandSubcommandBuilder } from 'discord.js';
import { type GuildSettings, guildSettings } from '../../core/settings/guild-settings.js';
import { InvalidRequest } from '../../lib/errors.js';
import { type TextKey, t } from '../../lib/translate.js';

type Options = Pick<CommandInteractionOptionResolver, 'getString' | 'getInteger' | 'getBoolean' | 'getChannel'>;

/** The choices of `methods`; `both` in the order in which they are offered. */
const methodChoices: Readonly<Record<string, GuildSettings['verification']['methods']>> = {
  both: ['oauth', 'profile_code'],
  oauth: ['oauth'],
  profile_code: ['profile_code'],
};
const methodNames = ['both', 'oauth', 'profile_code'] as const;
const languages = [
  { name: 'English', value: 'en' },
  { name: 'Deutsch', value: 'de' },
];
const longestTemplate = 200;
const mostAgeDays = 3650;
const mostHours = 168;

/** Adds the options of /settings set: one for each setting, none of which is needed. */
export function addSettingsOptions(set: SlashCommandSubcommandBuilder): SlashCommandSubcommandBuilder {
  addMemberOptions(set);
  addServerOptions(set);
  return set;
}

/** What becomes of people: verification, nicknames, linking and unlinking. */
function addMemberOptions(set: SlashCommandSubcommandBuilder): void {
  addYesOrNo(set, 'verification');
  const methods = methodNames.map((value) => ({ name: t(`option.set.methods.${value}`), value }));
  set.addStringOption((option) =>
    option
      .setName('methods')
      .setDescription(t('option.set.methods'))
      .addChoices(...methods),
  );
  addNumber(set, 'minimum_account_age', [0, mostAgeDays]);
  addYesOrNo(set, 'nickname');
  set.addStringOption((option) =>
    option
      .setName('nickname_template')
      .setDescription(t('option.set.nickname_template'))
      .setMaxLength(longestTemplate)
      .setAutocomplete(true),
  );
  addYesOrNo(set, 'link_on_join');
  addYesOrNo(set, 'unlink_takes_roles');
  addYesOrNo(set, 'unlink_resets_nickname');
}

/** What concerns the server as a whole. */
function addServerOptions(set: SlashCommandSubcommandBuilder): void {
  addYesOrNo(set, 'automatic_resync');
  addNumber(set, 'resync_every_hours', [0, mostHours]);
  addNumber(set, 'mass_removal_percent', [1, 100]);
  addNumber(set, 'mass_removal_people', [1, 1_000_000]);
  set.addChannelOption((option) =>
    option
      .setName('log_channel')
      .setDescription(t('option.set.log_channel'))
      .addChannelTypes(ChannelType.GuildText, ChannelType.GuildAnnouncement),
  );
  addYesOrNo(set, 'no_log_channel');
  addYesOrNo(set, 'trust_discord_admins');
  set.addStringOption((option) =>
    option
      .setName('language')
      .setDescription(t('option.set.language'))
      .addChoices(...languages),
  );
}

/** The text of an option is named after it. */
type OptionName = Extract<TextKey, `option.set.${string}`> extends `option.set.${infer Name}` ? Name : never;

function addYesOrNo(set: SlashCommandSubcommandBuilder, name: OptionName): void {
  set.addBooleanOption((option) => option.setName(name).setDescription(t(`option.set.${name}`)));
}

function addNumber(set: SlashCommandSubcommandBuilder, name: OptionName, [min, max]: [number, number]): void {
  set.addIntegerOption((option) =>
    option
      .setName(name)
      .setDescription(t(`option.set.${name}`))
      .setMinValue(min)
      .setMaxValue(max),
  );
}

/**
 * What the options of /settings set make of the settings as they are; what is left out stays. Throws InvalidRequest when
 * the outcome would not be settings, or an option contradicts another.
 */
export function applyOptions(options: Options, current: GuildSettings): GuildSettings {
  const { verification, nickname, unlink, resync, massRemoval } = current;
  const yesOrNo = (name: string, now: boolean) => options.getBoolean(name) ?? now;
  const number = (name: string, now: number) => options.getInteger(name) ?? now;
  const hours = options.getInteger('resync_every_hours');
  const wished = guildSettings.safeParse({
    verification: {
      enabled: yesOrNo('verification', verification.enabled),
      methods: methodChoices[options.getString('methods') ?? ''] ?? verification.methods,
      minimumAccountAgeDays: number('minimum_account_age', verification.minimumAccountAgeDays),
    },
    nickname: {
      enabled: yesOrNo('nickname', nickname.enabled),
      template: options.getString('nickname_template') ?? nickname.template,
    },
    autoLinkOnJoin: yesOrNo('link_on_join', current.autoLinkOnJoin),
    unlink: {
      removeRoles: yesOrNo('unlink_takes_roles', unlink.removeRoles),
      resetNickname: yesOrNo('unlink_resets_nickname', unlink.resetNickname),
    },
    resync: {
      automatic: yesOrNo('automatic_resync', resync.automatic),
      // No hours at all are Discord's way to say: as often as the plan allows.
      everyHours: hours === null ? resync.everyHours : hours || null,
    },
    massRemoval: {
      sharePercent: number('mass_removal_percent', massRemoval.sharePercent),
      people: number('mass_removal_people', massRemoval.people),
    },
    logChannelId: readLogChannel(options, current.logChannelId),
    trustDiscordAdmins: yesOrNo('trust_discord_admins', current.trustDiscordAdmins),
    locale: options.getString('language') ?? current.locale,
  });
  if (wished.success) return wished.data;
  throw new InvalidRequest(wished.error.issues.map(({ path, message }) => ({ path: path.join('.'), message })));
}

function readLogChannel(options: Options, current: string | null): string | null {
  const channel = options.getChannel('log_channel');
  const none = options.getBoolean('no_log_channel') ?? false;
  if (channel !== null && none) {
    throw new InvalidRequest([{ path: 'no_log_channel', message: t('settings.log_channel_or_none') }]);
  }
  return none ? null : (channel?.id ?? current);
}
