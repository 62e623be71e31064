import fc, { type Arbitrary } from 'fast-check';
import { strangeTexts } from './schema-arbitrary.js';

/** One fault in a value: its place (by number among all places), its kind, and its replacement. */
export interface Spoiling {
  place: number;
  deed: Action;
  value: unknown;
}

const actions = ['remove', 'replace', 'add', 'double', 'wrap', 'ask', 'stretch', 'retype'] as const;
type Action = (typeof actions)[number];

/** Each made when it is needed: as its own key, `__proto__` stands in JSON only. */
const strangeValues: readonly string[] = [
  ...['null', 'true', '0', '-1', '1.5', '1e308', '9007199254740993', '""', '[]', '{}', '[[]]', '[null]'],
  ...['{"$ne":null}', '{"$gt":""}', '{"$where":"1"}', '{"a.b":1}', '{"":1}', '{"__proto__":{"role":"owner"}}'],
  ...['{"constructor":{"prototype":{"a":1}}}', `${'['.repeat(400)}${']'.repeat(400)}`],
];

const strangeValue: Arbitrary<unknown> = fc.oneof(
  fc.constantFrom(...strangeValues).map((text): unknown => JSON.parse(text)),
  fc.constantFrom(...strangeTexts),
  fc.jsonValue({ maxDepth: 2, stringUnit: 'binary' }),
);

export const spoilings: Arbitrary<Spoiling[]> = fc.array(
  fc.record({ place: fc.nat(), deed: fc.constantFrom(...actions), value: strangeValue }),
  { minLength: 1, maxLength: 3 },
);

/** `value`'s copy with these things made wrong. */
export function spoil(value: unknown, wrongs: readonly Spoiling[]): unknown {
  return wrongs.reduce<unknown>((current, wrong) => {
    const places = placesIn(current);
    return spoilAt(current, places[wrong.place % places.length] ?? [], wrong);
  }, value);
}

type Place = readonly string[];

const isTree = (value: unknown): value is Record<string, unknown> => typeof value === 'object' && value !== null;

/** Every place in a value, itself first. */
function placesIn(value: unknown, place: Place = []): Place[] {
  if (!isTree(value)) return [place];
  return [place, ...Object.entries(value).flatMap(([key, inner]) => placesIn(inner, [...place, key]))];
}

/** Makes the value at `place` wrong; `undefined` there means that it is gone. */
function spoilAt(value: unknown, [key, ...rest]: Place, wrong: Spoiling): unknown {
  if (key === undefined) return spoilt(value, wrong);
  if (!isTree(value)) return value;
  const inner = spoilAt(value[key], rest, wrong);
  if (Array.isArray(value)) {
    return value.flatMap((each, index) => (String(index) !== key ? [each] : inner === undefined ? [] : [inner]));
  }
  const entries = Object.entries(value).map(([name, each]) => [name, name === key ? inner : each] as const);
  return Object.fromEntries(entries.filter(([, each]) => each !== undefined));
}

function spoilt(value: unknown, { deed: action, value: strange }: Spoiling): unknown {
  switch (action) {
    case 'remove':
      return undefined;
    case 'replace':
      return strange;
    case 'add':
      if (Array.isArray(value)) return [...value, strange];
      return isTree(value) ? Object.fromEntries([...Object.entries(value), ['surprise', strange]]) : strange;
    case 'double':
      return Array.isArray(value) ? [...value, ...value] : [value, value];
    case 'wrap':
      return [value];
    case 'ask':
      return { $ne: value };
    case 'stretch':
      if (Array.isArray(value))
        return JSON.stringify(value).length > 100 ? [] : Array.from({ length: 1_001 }, () => value[0] ?? null);
      return isTree(value) ? {} : String(value).padEnd(5_000, 'x');
    case 'retype':
      return typeof value === 'string' ? Number(value) : JSON.stringify(value);
  }
}
