import { snowflake } from '../../lib/ids.js';
import { isTextKey, locale, t, withLocale } from '../../lib/translate.js';
import { verbatim } from '../../platforms/discord/channel-messages.js';

const longestValue = 80;

const roleFields = new Set(['roleIds', 'bypass.keepRoles', 'bypass.keepNickname']);
const channelFields = new Set(['logChannelId', 'joinMessage.channelId']);

const fixedValues: Readonly<Record<string, (value: string) => string>> = {
  mode: (value) => `settings.mode_${value}`,
  'verification.methods': (value) => `settings.method.${value}`,
  'joinMessage.to': (value) => `option.join_to.${value}`,
  accounts: (value) => `settings.accounts_${value}`,
  reveal: (value) => `settings.reveal_${value}`,
  'restrictions.action': (value) => `settings.restrict_${value}`,
  reason: (value) => `log_reason.${value}`,
};

/** A changed field by the name that the settings page shows; by its path if it has none. */
export function fieldInWords(path: string): string {
  const key = `log_field.${path}`;
  return isTextKey(key) ? t(key) : verbatim(path);
}

/** A changed field's value in words: on, a mention, "kept in sync"; as it is if it has none. */
export function valueInWords(path: string, value: unknown): string {
  if (value === null || value === undefined) return '–';
  if (typeof value === 'boolean') return t(value ? 'settings.on' : 'settings.off');
  if (Array.isArray(value)) return listInWords(path, value);
  if (typeof value !== 'string') return shortened(JSON.stringify(value));
  return knownValue(path, value) ?? shortened(value);
}

const listInWords = (path: string, values: readonly unknown[]): string =>
  values.length === 0 ? '–' : values.map((value) => valueInWords(path, value)).join(', ');

function knownValue(path: string, value: string): string | undefined {
  const isId = snowflake.safeParse(value).success;
  if (isId && roleFields.has(path)) return `<@&${value}>`;
  if (isId && channelFields.has(path)) return `<#${value}>`;
  const language = path === 'locale' ? locale.safeParse(value).data : undefined;
  if (language !== undefined) return withLocale(language, () => t('settings.this_language'));
  const key = fixedValues[path]?.(value);
  return key !== undefined && isTextKey(key) ? t(key) : undefined;
}

const shortened = (text: string): string =>
  verbatim(text.length <= longestValue ? text : `${text.slice(0, longestValue - 1)}…`);
