/** The texts of a language, as `Words` has them. */
interface Texts {
  has(key: string): boolean;
  t(key: string): string;
}

const fixedValues: Readonly<Record<string, (value: string) => string>> = {
  mode: (value) => `mode.${value}`,
  'verification.methods': (value) => `method.${value}`,
  'joinMessage.to': (value) => `join_to.${value}`,
  reveal: (value) => `reveal.${value}`,
  'restrictions.action': (value) => `restriction_action.${value}`,
  method: (value) => `method.${value}`,
  plan: (value) => `plan.${value}`,
  role: (value) => `role.${value}`,
  reason: (value) => `log_reason.${value}`,
  obstacle: (value) => `blocked.${value}`,
};

/** The words for a value that is one of a few; undefined for any other value. */
export function fixedValueWords(path: string, value: string, { has, t }: Texts): string | undefined {
  if (path === 'locale') return new Intl.DisplayNames([value], { type: 'language' }).of(value);
  const key = fixedValues[path]?.(value);
  return key !== undefined && has(key) ? t(key) : undefined;
}
