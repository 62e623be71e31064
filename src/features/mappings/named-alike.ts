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

/** Discord's and Roblox's names have 100 letters, each of a few characters. Composing takes the length's square. */
const longestName = 1_000;

/** Things that are found by their names. Their keys are made once: a text may name thousands. */
export class NamedAlike<T extends { name: string }> {
  readonly #byKey: readonly ReadonlyMap<string, readonly T[]>[];

  constructor(things: readonly T[]) {
    this.#byKey = closeness.map((keyOf) => {
      const byKey = new Map<string, T[]>();
      for (const thing of things) {
        const key = keyOf(thing.name);
        const alike = byKey.get(key);
        if (alike === undefined) byKey.set(key, [thing]);
        else alike.push(thing);
      }
      return byKey;
    });
  }

  /**
   * Takes a name's readings. Returns the things with a name that equals any of them: exactly, else apart from copying,
   * else apart from letter case. An earlier reading goes before a later one. Several mean that the name is ambiguous.
   */
  find(readings: readonly string[]): readonly T[] {
    const possible = readings.filter(({ length }) => length <= longestName);
    for (const [step, keyOf] of closeness.entries()) {
      for (const reading of possible) {
        const found = this.#byKey[step]?.get(keyOf(reading));
        if (found !== undefined) return found;
      }
    }
    return [];
  }
}
