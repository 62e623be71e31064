import { botNames, isBot } from './import-bots.js';

/** A language's texts, as `Words` has them. */
interface Texts {
  has(key: string): boolean;
  t(key: string): string;
}

/** Where a value's words may be, by its field; the first known ones count. */
const fixedValues: Readonly<Record<string, (value: string) => readonly string[]>> = {
  mode: (value) => [`mode.${value}`],
  'verification.methods': (value) => [`method.${value}`],
  'joinMessage.to': (value) => [`join_to.${value}`],
  accounts: (value) => [`accounts.${value}`],
  reveal: (value) => [`reveal.${value}`],
  'restrictions.action': (value) => [`restriction_action.${value}`],
  method: (value) => [`method.${value}`, `me.proved_${value}`],
  plan: (value) => [`plan.${value}`],
  role: (value) => [`role.${value}`],
  reason: (value) => [`log_reason.${value}`],
  obstacle: (value) => [`blocked.${value}`],
  consent: (value) => [`log_consent.${value}`],
  state: (value) => [`team.${value}`, `resync.state_${value}`],
  fault: (value) => [`people.fault_${value}`],
  disabledReason: (value) => [`webhook.off_${value}`],
};

/** Import sources, which are names except for a list. */
const sources: readonly string[] = ['source', 'importedFrom', 'format'];

/** The words for a value that is one of a few; undefined for any other value. */
export function fixedValueWords(path: string, value: string, { has, t }: Texts): string | undefined {
  if (path === 'locale') return new Intl.DisplayNames([value], { type: 'language' }).of(value);
  if (sources.includes(path)) return isBot(value) ? botNames[value] : t('me.imported_list');
  const key = fixedValues[path]?.(value).find(has);
  return key === undefined ? undefined : t(key);
}
