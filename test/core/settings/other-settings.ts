import { defaultSettings, type GuildSettings, isSection } from '../../../src/core/settings/guild-settings.js';

/** A whole document in which everything differs from the defaults, except for roles and groups. */
export const everythingElse = (logChannelId: string): GuildSettings => ({
  verification: { enabled: false, methods: ['profile_code'], minimumAccountAgeDays: 30 },
  nickname: { enabled: false, template: '{gameDisplayName} (@{chatUsername})' },
  bypass: { keepRoles: [], keepNickname: [] },
  joinMessage: { to: 'channel', channelId: logChannelId, text: 'Hi {member}' },
  restrictions: {
    action: 'kick',
    minimumAccountAgeDays: 7,
    requiredGroupIds: [],
    deniedGroupIds: [],
    deniedGameUserIds: ['1'],
    reason: 'Ask us.',
  },
  mode: 'observe',
  autoLinkOnJoin: false,
  waitForRules: false,
  reveal: 'ask',
  accounts: 'main',
  unlink: { removeRoles: false, resetNickname: false },
  resync: { automatic: false, everyHours: 12 },
  massRemoval: { sharePercent: 5, people: 3 },
  universeIds: ['7001'],
  logChannelId,
  trustDiscordAdmins: false,
  locale: 'de',
});

/** The path of every setting: a list is one value. */
export const settingPaths: readonly string[] = Object.entries(defaultSettings).flatMap(([name, value]) =>
  isSection(value) ? Object.keys(value).map((field) => `${name}.${field}`) : [name],
);

/** The settings with the value of another document at a path. */
export function withValueOf(settings: GuildSettings, path: string, other: GuildSettings): GuildSettings {
  const [name = '', field] = path.split('.');
  const value: unknown = Reflect.get(other, name);
  if (field === undefined) return { ...settings, [name]: value };
  const section: unknown = Reflect.get(settings, name);
  if (!isSection(section) || !isSection(value)) throw new Error(`${name} is no section of the settings.`);
  return { ...settings, [name]: { ...section, [field]: Reflect.get(value, field) } };
}
