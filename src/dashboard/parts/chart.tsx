import { type KeyboardEvent, type PointerEvent, type ReactNode, useState } from 'react';
import { useWords } from '../i18n/words-provider.js';
import css from './chart.module.css';
import { marksOf, placeAfter, placeAt, wholeSteps } from './chart-scale.js';
import {
  barsOf,
  heightOf,
  highestStack,
  highestValue,
  lineOf,
  middleOf,
  type Place,
  viewHeight,
  viewWidth,
} from './chart-shapes.js';

/** A kind of numbers: its colour, legend, and column heading. */
export interface ChartKind<Kind extends string> {
  kind: Kind;
  tone: 'neutral' | 'good' | 'bad' | 'open';
  legend: string;
  column: string;
}

interface ChartProps<Kind extends string> {
  /** Oldest first. */
  places: readonly Place<Kind>[];
  kinds: readonly ChartKind<Kind>[];
  /** The chart's name, for screen readers. */
  label: string;
  nameOf: (key: string) => string;
  /** A number in words; a plain number by default. */
  show?: (value: number) => string;
}

/** Counts over time as stacked bars. */
export function BarChart<Kind extends string>({ places, kinds, ...rest }: ChartProps<Kind>) {
  const names = kinds.map(({ kind }) => kind);
  const toneOf = (kind: Kind) => kinds.find((each) => each.kind === kind)?.tone ?? 'neutral';
  const marks = marksOf(highestStack(places, names));
  return (
    <Plot places={places} kinds={kinds} marks={marks} {...rest}>
      {barsOf(places, names, marks.at(-1) ?? 1).map(({ key, kind, ...place }) => (
        <rect key={key} {...place} className={`${css.bar} ${css[toneOf(kind)]}`} />
      ))}
    </Plot>
  );
}

/** The same bars in small, without a scale: `label` says the numbers. */
export function SmallBars<Kind extends string>(props: {
  places: readonly Place<Kind>[];
  kinds: readonly Pick<ChartKind<Kind>, 'kind' | 'tone'>[];
  label: string;
}) {
  const { places, kinds, label } = props;
  const names = kinds.map(({ kind }) => kind);
  const toneOf = (kind: Kind) => kinds.find((each) => each.kind === kind)?.tone ?? 'neutral';
  return (
    <svg
      role="img"
      aria-label={label}
      className={css.small}
      viewBox={`0 0 ${viewWidth} ${viewHeight}`}
      preserveAspectRatio="none"
    >
      <Rule y={viewHeight} />
      {barsOf(places, names, Math.max(1, highestStack(places, names))).map(({ key, kind, ...place }) => (
        <rect key={key} {...place} className={`${css.bar} ${css[toneOf(kind)]}`} />
      ))}
    </svg>
  );
}

/** Levels over time as lines; a kind with the tone `open` is a goal, and dashed. */
export function LineChart<Kind extends string>(props: ChartProps<Kind> & { steps?: typeof wholeSteps }) {
  const { places, kinds, steps = wholeSteps, ...rest } = props;
  const names = kinds.map(({ kind }) => kind);
  const marks = marksOf(highestValue(places, names), steps);
  const valuesOf = (kind: Kind) => places.map(({ values }) => values[kind]);
  return (
    <Plot places={places} kinds={kinds} marks={marks} {...rest}>
      {kinds.map(({ kind, tone }) => (
        <path
          key={kind}
          d={lineOf(valuesOf(kind), marks.at(-1) ?? 1)}
          vectorEffect="non-scaling-stroke"
          className={`${css.line} ${css[tone]}`}
        />
      ))}
    </Plot>
  );
}

/** A chart's frame: its scale, the numbers at one place, and the legend. */
function Plot<Kind extends string>(props: ChartProps<Kind> & { marks: readonly number[]; children: ReactNode }) {
  const { places, kinds, label, nameOf, marks, children } = props;
  const { number } = useWords();
  const { show = number } = props;
  const [at, setAt] = useState<number | null>(null);
  const read = places[at ?? places.length - 1];
  const numbers = kinds.flatMap(({ kind, column }) => {
    const value = read?.values[kind];
    return value === null || value === undefined ? [] : [`${column}: ${show(value)}`];
  });
  const words = [nameOf(read?.key ?? ''), ...(numbers.length > 0 ? [numbers.join(' · ')] : [])].join(' – ');
  return (
    <figure className={css.chart}>
      <p className={css.read}>{words}</p>
      <div className={css.plot}>
        <div className={css.scale} aria-hidden="true">
          {[...marks].reverse().map((mark) => (
            <span key={mark}>{show(mark)}</span>
          ))}
        </div>
        <Drawing label={label} words={words} length={places.length} at={at} onMove={setAt} marks={marks}>
          {children}
        </Drawing>
      </div>
      <figcaption className={css.caption}>
        <span>{nameOf(places[0]?.key ?? '')}</span>
        <Legend kinds={kinds} />
        <span>{nameOf(places.at(-1)?.key ?? '')}</span>
      </figcaption>
    </figure>
  );
}

/** A number in words; a dash where none is known. */
export const shown = (value: number | null | undefined, show: (value: number) => string): string =>
  value === null || value === undefined ? '–' : show(value);

const Legend = <Kind extends string>({ kinds }: { kinds: readonly ChartKind<Kind>[] }) => (
  <span className={css.legend}>
    {kinds.map(({ kind, tone, legend }) => (
      <span key={kind} className={css.entry}>
        <span className={`${css.dot} ${css[tone]}`} aria-hidden="true" />
        {legend}
      </span>
    ))}
  </span>
);

interface DrawingProps {
  label: string;
  /** The place's numbers in words. */
  words: string;
  /** The place count. */
  length: number;
  /** The place being read; null for none. */
  at: number | null;
  onMove: (at: number | null) => unknown;
  marks: readonly number[];
  children: ReactNode;
}

/** The drawing, read place by place with the pointer or the arrow keys. */
function Drawing({ label, words, length, at, onMove, marks, children }: DrawingProps) {
  const last = length - 1;
  const follow = ({ clientX, currentTarget }: PointerEvent) => {
    const { left, width } = currentTarget.getBoundingClientRect();
    onMove(placeAt((clientX - left) / width, length));
  };
  const step = (event: KeyboardEvent) => {
    const place = placeAfter(event.key, at ?? last, length);
    if (place === undefined) return;
    event.preventDefault();
    onMove(place);
  };
  return (
    <div
      className={css.drawing}
      role="slider"
      tabIndex={0}
      aria-label={label}
      aria-valuemin={1}
      aria-valuemax={length}
      aria-valuenow={(at ?? last) + 1}
      aria-valuetext={words}
      onKeyDown={step}
      onFocus={() => onMove(at ?? last)}
      onBlur={() => onMove(null)}
      onPointerDown={follow}
      onPointerMove={follow}
      onPointerLeave={() => onMove(null)}
    >
      <svg viewBox={`0 0 ${viewWidth} ${viewHeight}`} preserveAspectRatio="none" aria-hidden="true">
        {marks.map((mark) => (
          <Rule key={mark} y={heightOf(mark, marks.at(-1) ?? 1)} />
        ))}
        {at !== null && <Cursor x={middleOf(at, length)} />}
        {children}
      </svg>
    </div>
  );
}

const Rule = ({ y }: { y: number }) => (
  <line className={css.rule} x1={0} x2={viewWidth} y1={y} y2={y} vectorEffect="non-scaling-stroke" />
);

const Cursor = ({ x }: { x: number }) => (
  <line className={css.cursor} x1={x} x2={x} y1={0} y2={viewHeight} vectorEffect="non-scaling-stroke" />
);
