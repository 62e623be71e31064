import type { Schemas } from '../../../client/api-types.js';
import type { Place } from '../../parts/chart-shapes.js';

export type History = Schemas['GuildHistory'];
type Day = History['series'][number];

/** The days as chart places, each kind by its field's name. */
export function placesOf<Kind extends string>(
  { series }: History,
  kinds: Readonly<Record<Kind, Exclude<keyof Day, 'date'>>>,
): Place<Kind>[] {
  const fields = Object.entries(kinds) as [Kind, Exclude<keyof Day, 'date'>][];
  return series.map((day) => ({
    key: day.date,
    values: Object.fromEntries(fields.map(([kind, field]) => [kind, day[field]])) as Record<Kind, number | null>,
  }));
}

/** The mapping with that id, else the one with the most holders. */
export const mappingOf = ({ mappings }: History, mappingId: string | undefined) =>
  mappings.find((mapping) => mapping.mappingId === mappingId) ?? mappings[0];

export const sumOf = (places: readonly Place<string>[], kind: string): number =>
  places.reduce((sum, { values }) => sum + (values[kind] ?? 0), 0);

/** The difference between the last and the first value; undefined where either is unknown. */
export function growthOf(places: readonly Place<string>[], kind: string): number | undefined {
  const [first, last] = [places[0]?.values[kind], places.at(-1)?.values[kind]];
  return first == null || last == null ? undefined : last - first;
}

/**
 * The sums for the newer and the older half before today: today is not over. Undefined where a day is unknown or the
 * older half has nothing to compare with.
 */
export function halvesOf(
  places: readonly Place<string>[],
  kind: string,
): { days: number; newer: number; older: number } | undefined {
  const days = Math.floor((places.length - 1) / 2);
  const [older, newer] = [places.slice(-2 * days - 1, -days - 1), places.slice(-days - 1, -1)];
  if (days < 1 || [...older, ...newer].some(({ values }) => values[kind] == null)) return undefined;
  const before = sumOf(older, kind);
  return before === 0 ? undefined : { days, newer: sumOf(newer, kind), older: before };
}
