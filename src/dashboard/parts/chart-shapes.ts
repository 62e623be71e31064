/** The numbers at one chart place, by kind, the lowest first; null where none is known. */
export interface Place<Kind extends string> {
  /** For example a day. */
  key: string;
  values: Readonly<Record<Kind, number | null>>;
}

interface Bar<Kind extends string> {
  key: string;
  kind: Kind;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The drawing's size, which is stretched to its place. */
export const viewWidth = 600;
export const viewHeight = 120;
/** A bar's share in its place. */
const fill = 0.72;
/** So that one among many is seen. */
const leastHeight = 2;

/** The largest sum at a place. */
export const highestStack = <Kind extends string>(places: readonly Place<Kind>[], kinds: readonly Kind[]): number =>
  Math.max(0, ...places.map(({ values }) => kinds.reduce((sum, kind) => sum + (values[kind] ?? 0), 0)));

/** The largest single number. */
export const highestValue = <Kind extends string>(places: readonly Place<Kind>[], kinds: readonly Kind[]): number =>
  Math.max(0, ...places.flatMap(({ values }) => kinds.map((kind) => values[kind] ?? 0)));

/** The places' stacked bars. A `full` stack is as high as the drawing. */
export function barsOf<Kind extends string>(
  places: readonly Place<Kind>[],
  kinds: readonly Kind[],
  full: number,
): Bar<Kind>[] {
  const step = viewWidth / Math.max(1, places.length);
  const room = viewHeight - leastHeight * (kinds.length - 1);
  return places.flatMap(({ key, values }, index) => {
    let y = viewHeight;
    return kinds.flatMap((kind) => {
      const value = values[kind] ?? 0;
      if (value <= 0) return [];
      const height = round(Math.max(leastHeight, (room * value) / full));
      y = round(y - height);
      const x = round(index * step + (step * (1 - fill)) / 2);
      return [{ key: `${key} ${kind}`, kind, x, y, width: round(step * fill), height }];
    });
  });
}

/** A line's path through known numbers. An unknown one breaks it; a single one between two breaks is a dot. */
export function lineOf(values: readonly (number | null)[], full: number): string {
  return values
    .map((value, index) => {
      if (value === null) return '';
      const point = `${middleOf(index, values.length)} ${heightOf(value, full)}`;
      const isFirst = (values[index - 1] ?? null) === null;
      const isAlone = isFirst && (values[index + 1] ?? null) === null;
      return `${isFirst ? 'M' : 'L'}${point}${isAlone ? 'h0' : ''}`;
    })
    .join('');
}

/** The middle of a place, from the left. */
export const middleOf = (index: number, length: number): number => round(((index + 0.5) * viewWidth) / length);

/** A number's height in the drawing, from the top. */
export const heightOf = (value: number, full: number): number => round(viewHeight * (1 - value / full));

const round = (value: number): number => Math.round(value * 100) / 100;
