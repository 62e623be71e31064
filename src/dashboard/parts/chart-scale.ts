const mostSteps = 4;
const [minute, hour, day] = [60, 3_600, 86_400];

/** Scale steps, each larger than the one before. */
type Steps = () => Generator<number>;

/** 1, 2, 5, 10, 20, … */
export function* wholeSteps(): Generator<number> {
  for (let unit = 1; ; unit *= 10) yield* [unit, 2 * unit, 5 * unit];
}

/** In seconds: steps that are whole in the unit they are read in. */
export function* timeSteps(): Generator<number> {
  yield* [1, 5, 15, 30, minute, 5 * minute, 15 * minute, 30 * minute, hour, 2 * hour, 6 * hour, 12 * hour];
  for (const days of wholeSteps()) yield days * day;
}

/** A scale's marks at equal distances, from 0 to at least `most`: five at most. */
export function marksOf(most: number, steps: Steps = wholeSteps): number[] {
  for (const step of steps()) {
    const count = Math.max(1, Math.ceil(most / step));
    if (count <= mostSteps) return Array.from({ length: count + 1 }, (_, index) => index * step);
  }
  return [];
}

const daysOfWeek = 7;

/** The place that a key leads to from `at`; undefined for a key without a meaning. */
export function placeAfter(key: string, at: number, length: number): number | undefined {
  const moves: Readonly<Record<string, number>> = {
    ...{ ArrowLeft: at - 1, ArrowDown: at - 1, ArrowRight: at + 1, ArrowUp: at + 1 },
    ...{ PageDown: at - daysOfWeek, PageUp: at + daysOfWeek, Home: 0, End: length - 1 },
  };
  const place = Object.hasOwn(moves, key) ? moves[key] : undefined;
  return place === undefined ? undefined : within(place, length);
}

/** The place under a pointer at this fractional width. */
export const placeAt = (share: number, length: number): number => within(Math.floor(share * length), length);

const within = (place: number, length: number): number => Math.max(0, Math.min(length - 1, place));
