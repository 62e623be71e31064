import type { Schemas } from '../../api/api-types.js';
import type { Place } from '../../parts/chart-shapes.js';

export type History = Schemas['GuildHistory'];
type Day = History['series'][number];

/** The days as places of a chart, each kind by the name of its field. */
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

/** The mapping of that id, else the one with the most holders. */
export const mappingOf = ({ mappings }: History, mappingId: string | undefined) =>
  mappings.find((mapping) => mapping.mappingId === mappingId) ?? mappings[0];

export const sumOf = (places: readonly Place<string>[], kind: string): number =>
  places.reduce((sum, { values }) => sum + (values[kind] ?? 0), 0);
