import type { Words } from '../i18n/words.js';
import { fixedValueWords } from './fixed-values.js';
import { permissionList, permissionWords } from './permission-words.js';
import { settingName } from './setting-words.js';

export type NameOf = (id: string) => string | undefined;

/** A changed field's name: from the settings, else from the log, else from the API. */
export function fieldWords(field: string, words: Pick<Words, 'has' | 't'>): string {
  const key = `log_field.${field}`;
  return words.has(key) ? words.t(key) : settingName(field, words);
}

/** A field's value in words: "on", "@Officer", "Manage Messages"; JSON if it has none. */
export function changeWords(field: string, value: unknown, nameOf: NameOf, words: Words): string {
  if (value === null || value === undefined || value === '') return '–';
  if (typeof value === 'boolean') return words.t(value ? 'settings.on' : 'settings.off');
  if (typeof value === 'number') return words.number(value);
  if (typeof value === 'string') return fixedValueWords(field, value, words) ?? textWords(field, value, nameOf, words);
  if (Array.isArray(value))
    return value.length === 0 ? '–' : words.list(value.map((each) => changeWords(field, each, nameOf, words)));
  return objectWords(value, nameOf, words) ?? JSON.stringify(value);
}

/** A mapping's nickname, and the dangerous permissions that were confirmed for a role. */
function objectWords(value: object, nameOf: NameOf, words: Words): string | undefined {
  if ('template' in value && typeof value.template === 'string') return value.template;
  if (!('roleId' in value && 'permissions' in value && Array.isArray(value.permissions))) return undefined;
  const permissions = permissionList(value.permissions.map(String), words);
  return `${textWords('roles', String(value.roleId), nameOf, words)}: ${permissions}`;
}

function textWords(field: string, text: string, nameOf: NameOf, words: Words): string {
  if (/^\d{4}-\d\d-\d\dT[\d:.]+Z$/.test(text)) return words.time(text);
  if (words.has(`permission.${text}`)) return permissionWords(text, words);
  // The log names a mapping by its own name, with the id in brackets, or by the id alone.
  const [, name = '', mappingId = ''] = /^(.*?) ?\(?(map_[0-9a-f]+)\)?$/.exec(text) ?? [];
  if (mappingId !== '') return name === '' ? nameOf(mappingId) || words.t('log_target.unnamed') : name;
  return nameOf(text) ?? goneWords(field, text, words) ?? text;
}

/** A role or a channel that is no longer there. */
function goneWords(field: string, text: string, { t }: Words): string | undefined {
  if (!/^\d{17,20}$/.test(text)) return undefined;
  if (/role/i.test(field) || field === 'added' || field === 'removed') return t('role_name.gone');
  return /channel/i.test(field) ? t('channel.channel_missing') : undefined;
}
