import { parseArgs } from 'node:util';
import { parseBloxlink } from '../../src/features/mapping-import/import-bloxlink.js';
import { parseCsv } from '../../src/features/mapping-import/import-csv.js';
import { parseRover } from '../../src/features/mapping-import/import-rover.js';
import { readYaml } from '../../src/lib/yaml-text.js';
import { type Figure, inTurns, passes, table } from './figures.js';

/** Largest text in bytes, and how many times smaller the text is that it is held against. */
const largest = 64 * 1024;
const smallerBy = 4;
/** The large text may take this many times the time of four small ones: linear, and room for the collector of garbage. */
const atMost = 2;
/** Reads of the large text in one round. */
const reads = 5;

interface Hostile {
  name: string;
  read: (text: string) => unknown;
  /** The text, in at most this many bytes. */
  text: (bytes: number) => string;
}

const repeated = (unit: string) => (bytes: number) => unit.repeat(Math.floor(bytes / unit.length));
const yaml = (name: string, text: Hostile['text']): Hostile => ({ name: `YAML: ${name}`, read: readYaml, text });
const csvHeader = 'condition,roles\n';

const texts: readonly Hostile[] = [
  yaml('keys', (bytes) => Array.from({ length: bytes / 9 }, (_, index) => ` k${index}: 1`).join('\n')),
  yaml('entries', repeated('- a\n')),
  yaml('small mappings', repeated('- {a: 1}\n')),
  yaml('closing brackets', repeated('}\n')),
  yaml('opening brackets', repeated('[')),
  yaml('dashes', repeated('- ')),
  yaml('empty lines', repeated('\n')),
  yaml('comments', repeated('# a\n')),
  yaml('quotes', repeated('"a" ')),
  yaml('anchors', repeated('&a ')),
  yaml('documents', repeated('---\n')),
  yaml('block texts', repeated('- |\n')),
  { name: 'CSV: rows', read: parseCsv, text: (bytes) => csvHeader + repeated('verified,@a,\n')(bytes) },
  { name: 'CSV: quotes', read: parseCsv, text: (bytes) => `${csvHeader}"${repeated('""\n')(bytes)}` },
  { name: 'Bloxlink: ranks', read: parseBloxlink, text: repeated(`${'Ranks (1) to '.repeat(300)}\n`) },
  { name: 'Bloxlink: sentences', read: parseBloxlink, text: repeated(`${' receive the role '.repeat(220)}\n`) },
  {
    name: 'RoVer: ranges',
    read: parseRover,
    text: (bytes) => `Officer <123456789012345678>\nGroup 5\nRanks ${repeated('1-255, ')(bytes)}`,
  },
];

/** `texts [--rounds R]`: holds that reading a text of 64 KiB takes four times as long as one of 16, for any content. */
export async function benchTexts(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string' } } });
  const figures: Figure[] = [];
  for (const hostile of texts) figures.push(await measure(hostile, Number(values.rounds ?? '7')));
  process.stdout.write(`\n${table(figures)}\n`);
  return figures.every(passes);
}

async function measure({ name, read, text }: Hostile, rounds: number): Promise<Figure> {
  const [large, small] = [text(largest), text(largest / smallerBy)];
  const timed = async (given: string, times: number) => cpuMsOf(() => attempt(read, given), times);
  const { a: measured, b: reference } = await inTurns(
    rounds,
    () => timed(large, reads),
    () => timed(small, reads * smallerBy),
  );
  return { name, measured, reference, atMost, unit: 'ms' };
}

/** Most of these texts are refused, which has to be as quick. */
function attempt(read: Hostile['read'], text: string): void {
  try {
    read(text);
  } catch {
    // A refusal is an answer too.
  }
}

/** Processor time, so that other load on the machine matters little. */
function cpuMsOf(work: () => void, times: number): number {
  const before = process.cpuUsage();
  for (let time = 0; time < times; time += 1) work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000;
}
