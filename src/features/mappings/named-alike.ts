/** A name without the differences that copying makes: composed letters, curly quotes, spaces. */
const copied = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/[\u2018\u2019\u201a\u2032]/g, "'")
    .replaceAll(/[\u201c\u201d\u201e\u2033]/g, '"')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** The ways to compare two names, strictest first. */
const closeness: readonly ((name: string) => string)[] = [
  (name) => name,
  copied,
  (name) => copied(name).toLowerCase().normalize('NFC'),
];

/**
 * The things with a name that equals any of these readings: exactly, else apart from copying, else apart from letter
 * case. An earlier reading goes before a later one. Returns several if the name is ambiguous.
 */
export function findNamed<T extends { name: string }>(things: readonly T[], readings: readonly string[]): T[] {
  for (const keyOf of closeness) {
    for (const reading of readings) {
      const found = things.filter(({ name }) => keyOf(name) === keyOf(reading));
      if (found.length > 0) return found;
    }
  }
  return [];
}
