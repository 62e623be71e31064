/** One day of the overview's series, as far as the chart shows it. */
export interface Day {
  date: string;
  verified: number;
  verificationFailed: number;
}

interface Bar {
  key: string;
  kind: 'verified' | 'failed';
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The size of the drawing, which is stretched to its place. */
export const viewWidth = 600;
export const viewHeight = 120;
/** How much of a day's place its bar takes. */
const fill = 0.72;
/** So that a day with one verification among many is seen. */
const leastHeight = 2;

/** The bars of the days: failed ones stand on the verified ones. `top` is the day with the most. */
export function barsOf(series: readonly Day[]): { bars: Bar[]; top: number } {
  const top = Math.max(0, ...series.map(({ verified, verificationFailed }) => verified + verificationFailed));
  const step = viewWidth / Math.max(1, series.length);
  const heightOf = (count: number): number =>
    count === 0 ? 0 : Math.max(leastHeight, ((viewHeight - leastHeight) * count) / top);
  const bars = series.flatMap(({ date, verified, verificationFailed }, index) => {
    const place = { x: round(index * step + (step * (1 - fill)) / 2), width: round(step * fill) };
    const [low, high] = [heightOf(verified), heightOf(verificationFailed)];
    const both: Bar[] = [
      { key: `${date} verified`, kind: 'verified', ...place, y: round(viewHeight - low), height: round(low) },
      { key: `${date} failed`, kind: 'failed', ...place, y: round(viewHeight - low - high), height: round(high) },
    ];
    return both.filter(({ height }) => height > 0);
  });
  return { bars, top };
}

const round = (value: number): number => Math.round(value * 100) / 100;
