/** `{name}`, or a plural: `{count, plural, one {# role} other {# roles}}`. */
export const placeholder = /\{(\w+)(?:, plural,((?: \w+ \{[^{}]*\})+))?\}/g;

/**
 * A text with every placeholder filled in; one missing in `values` stays. A plural has one form per category that the
 * language has for whole numbers below a million (`Intl.PluralRules`). Other numbers use `other`; `#` is the number.
 * Numbers are formatted for `language` (BCP 47).
 */
export function fillText(text: string, values: Readonly<Record<string, unknown>>, language: string): string {
  return text.replace(placeholder, (whole, name: string, forms?: string) => {
    const value = values[name] ?? whole;
    if (typeof value !== 'number') return String(value);
    const shown = value.toLocaleString(language);
    if (forms === undefined) return shown;
    const known = formsOf(forms);
    const chosen = known[new Intl.PluralRules(language).select(value)] ?? known.other;
    return chosen === undefined ? whole : chosen.replaceAll('#', shown);
  });
}

export function formsOf(forms: string): Readonly<Record<string, string>> {
  return Object.fromEntries([...forms.matchAll(/(\w+) \{([^{}]*)\}/g)].map(([, category, form]) => [category, form]));
}
