import type { Schemas } from '../../api/api-types.js';

type Hour = Schemas['DeliveryStatistics']['series'][number];
export const kinds = ['succeeded', 'failed', 'open'] as const;

interface Bar {
  key: string;
  kind: (typeof kinds)[number];
  x: number;
  y: number;
  width: number;
  height: number;
}

/** The size of the drawing, which is stretched to its place. */
export const viewWidth = 480;
export const viewHeight = 96;
/** How much of an hour's place its bar takes. */
const fill = 0.75;
/** So that one delivery among many is seen. */
const leastHeight = 2;

/** The bars of the hours, what became of the deliveries one above the other. `top` is the hour with the most. */
export function barsOf(series: readonly Hour[]): { bars: Bar[]; top: number } {
  const top = Math.max(0, ...series.map((hour) => kinds.reduce((sum, kind) => sum + hour[kind], 0)));
  const step = viewWidth / Math.max(1, series.length);
  const bars: Bar[] = [];
  for (const [index, hour] of series.entries()) {
    let y = viewHeight;
    for (const kind of kinds.filter((each) => hour[each] > 0)) {
      const height = Math.max(leastHeight, (viewHeight * hour[kind]) / top);
      y -= height;
      bars.push({ key: `${hour.at} ${kind}`, kind, x: index * step, y, width: step * fill, height });
    }
  }
  return { bars, top };
}
