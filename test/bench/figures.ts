/** One measured figure: what was counted or timed, what it is held against, and how far apart the two may be. */
export interface Figure {
  name: string;
  measured: number;
  /** In the same run. */
  reference: number;
  /** `measured` may be this many times the reference; exactly the reference with 1 and `exact`. */
  atMost: number;
  exact?: boolean;
  /** Of both values. */
  unit: string;
}

const columns = ['figure', 'measured', 'reference', 'ratio', 'bound', ''] as const;

/** Whether a figure is within its bound. */
export function passes({ measured, reference, atMost, exact = false }: Figure): boolean {
  return exact ? measured === reference : measured <= reference * atMost;
}

/** The figures as a table for the terminal. */
export function table(figures: readonly Figure[]): string {
  const rows = [[...columns], ...figures.map(rowOf)];
  const widths = columns.map((_, column) => Math.max(...rows.map((row) => row[column]?.length ?? 0)));
  const line = (row: string[]) => row.map((cell, column) => pad(cell, widths[column] ?? 0, column)).join('  ');
  return rows.map((row) => line(row).trimEnd()).join('\n');
}

function rowOf(figure: Figure): string[] {
  const { name, measured, reference, atMost, exact = false, unit } = figure;
  const ratio = reference === 0 ? (measured === 0 ? 1 : Number.POSITIVE_INFINITY) : measured / reference;
  const value = (amount: number) => `${round(amount)} ${unit}`.trimEnd();
  const bound = exact ? '= 1' : `<= ${atMost}`;
  return [name, value(measured), value(reference), ratio.toFixed(3), bound, passes(figure) ? 'pass' : 'FAIL'];
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
