/** One measured figure, its reference, and the most by which it may differ. */
export interface Figure {
  name: string;
  /** For several rounds: each one's value. */
  measured: number | readonly number[];
  /** In the same run, and with as many rounds. */
  reference: number | readonly number[];
  /** `measured` may be this many times the reference; exactly the reference with 1 and `exact`. */
  atMost?: number;
  /** `measured` must be this many times the reference. Without either bound the figure is there to be read. */
  atLeast?: number;
  exact?: boolean;
  /** For both values. */
  unit: string;
}

const columns = ['figure', 'measured', 'reference', 'ratio', 'range', 'bound', ''] as const;

/** Whether a figure is within its bound: with several rounds, in the middle one. */
export function passes({ measured, reference, atMost, atLeast, exact = false }: Figure): boolean {
  if (exact) return measured === reference;
  const ratio = middle(ratiosOf({ measured, reference }));
  return ratio <= (atMost ?? Number.POSITIVE_INFINITY) && ratio >= (atLeast ?? 0);
}

/** Two measurements in alternation, so that other load on the machine affects both alike. */
export interface Rounds<A, B> {
  a: A[];
  b: B[];
}

/** Runs both this often in turn, each first as often as the other, after a round that warms up. */
export async function inTurns<A, B>(rounds: number, a: () => Promise<A>, b: () => Promise<B>): Promise<Rounds<A, B>> {
  const taken: Rounds<A, B> = { a: [await a()], b: [await b()] };
  for (let round = 0; round < rounds; round += 1) {
    if (round % 2 === 0) taken.b.push(await b());
    taken.a.push(await a());
    if (round % 2 === 1) taken.b.push(await b());
  }
  return { a: taken.a.slice(1), b: taken.b.slice(1) };
}

export function table(figures: readonly Figure[]): string {
  const rows = [[...columns], ...figures.map(rowOf)];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

function rowOf(figure: Figure): string[] {
  const { name, measured, reference, atMost, atLeast, exact = false, unit } = figure;
  const value = (amount: number | readonly number[]) => `${round(middle(listOf(amount)))} ${unit}`.trimEnd();
  const ratios = ratiosOf(figure);
  const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
  const range = ratios.length > 1 ? `${least.toFixed(2)} to ${most.toFixed(2)}` : '';
  const bound = exact ? '= 1' : atMost !== undefined ? `<= ${atMost}` : atLeast !== undefined ? `>= ${atLeast}` : '';
  const verdict = bound === '' ? '' : passes(figure) ? 'pass' : 'FAIL';
  return [name, value(measured), value(reference), middle(ratios).toFixed(3), range, bound, verdict];
}

const listOf = (amount: number | readonly number[]): readonly number[] =>
  typeof amount === 'number' ? [amount] : amount;

const middle = (values: readonly number[]): number => percentile(values, 0.5);

function ratiosOf({ measured, reference }: Pick<Figure, 'measured' | 'reference'>): number[] {
  const references = listOf(reference);
  return listOf(measured).map((amount, round) => {
    const held = references[round] ?? Number.NaN;
    return held === 0 ? (amount === 0 ? 1 : Number.POSITIVE_INFINITY) : amount / held;
  });
}

const round = (amount: number): string => (Number.isInteger(amount) ? String(amount) : amount.toFixed(2));

/** Words to the left, numbers to the right. */
function pad(cell: string, width: number, column: number): string {
  return column === 0 || column === columns.length - 1 ? cell.padEnd(width) : cell.padStart(width);
}

/** The value below which this share (0 to 1) of the values lies: the nearest rank. */
export function percentile(values: readonly number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b);
  return sorted[Math.max(0, Math.ceil(sorted.length * share) - 1)] ?? Number.NaN;
}
