/** The stack of numbers at one place of a chart, by kind, the lowest first. */
export interface Stack<Kind extends string> {
  /** Its place, for example a day. */
  key: string;
  counts: Readonly<Record<Kind, number>>;
}

interface Bar<Kind extends string> {
  key: string;
  kind: Kind;
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The size of the drawing, which is stretched to its place. */
export const viewWidth = 600;
export const viewHeight = 120;
/** How much of its place a bar takes. */
const fill = 0.72;
/** So that one among many is seen. */
const leastHeight = 2;

/** The bars of the stacks. `top` is the stack with the most. */
export function barsOf<Kind extends string>(
  stacks: readonly Stack<Kind>[],
  kinds: readonly Kind[],
): { bars: Bar<Kind>[]; top: number } {
  const top = Math.max(0, ...stacks.map(({ counts }) => kinds.reduce((sum, kind) => sum + counts[kind], 0)));
  const step = viewWidth / Math.max(1, stacks.length);
  const room = viewHeight - leastHeight * (kinds.length - 1);
  const bars = stacks.flatMap(({ key, counts }, index) => {
    let y = viewHeight;
    return kinds
      .filter((kind) => counts[kind] > 0)
      .map((kind) => {
        const height = round(Math.max(leastHeight, (room * counts[kind]) / top));
        y = round(y - height);
        return {
          key: `${key} ${kind}`,
          kind,
          x: round(index * step + (step * (1 - fill)) / 2),
          y,
          width: round(step * fill),
          height,
        };
      });
  });
  return { bars, top };
}

const round = (value: number): number => Math.round(value * 100) / 100;
