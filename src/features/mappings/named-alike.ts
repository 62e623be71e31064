/** What a copy changes in a name: how its letters are composed, quotes that a keyboard bends, spaces. */
const copied = (name: string): string =>
  name
    .normalize('NFC')
    .replaceAll(/[\u2018\u2019\u201a\u2032]/g, "'")
    .replaceAll(/[\u201c\u201d\u201e\u2033]/g, '"')
    .replaceAll(/\s+/g, ' ')
    .trim();

/** From the strictest to the loosest way to compare two names. */
const closeness: readonly ((name: string) => string)[] = [
  (name) => name,
  copied,
  (name) => copied(name).toLowerCase().normalize('NFC'),
];

/**
 * The things that are called by one of these readings of a name: exactly so, else as a copy may have changed it, else in
 * another case. An earlier reading goes before a later one. Several are returned where the name doesn't tell them apart.
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
