import { parseArgs } from 'node:util';
import { type Figure, inTurns, passes, table } from './figures.js';
import { ordinary, readers, type Shape } from './texts-shapes.js';

/** Size of a text in bytes: the most that a reader of YAML or of other bots' texts takes. */
const size = 64 * 1024;
/**
 * A KiB of any text may take this many times as long as one of an ordinary JSON body with a list of people, parsed and
 * checked by its schema.
 */
const atMost = 40;
/** Reads in one round. */
const reads = 5;

/** `texts [--rounds R]`: bounds the microseconds per KiB of each reader, for any content. */
export async function benchTexts(args: string[]): Promise<boolean> {
  const { values } = parseArgs({ args, options: { rounds: { type: 'string' } } });
  const figures: Figure[] = [];
  for (const shape of readers) figures.push(await measure(shape, Number(values.rounds ?? '7')));
  process.stdout.write(`\n${table(figures)}\n`);
  return figures.every(passes);
}

async function measure({ name, read, text }: Shape, rounds: number): Promise<Figure> {
  const [given, usual] = [text(size), ordinary.text(size)];
  const { a: measured, b: reference } = await inTurns(
    rounds,
    async () => usPerKib(read, given),
    async () => usPerKib(ordinary.read, usual),
  );
  return { name, measured, reference, atMost, unit: 'µs/KiB' };
}

/** Processor time, so that other load on the machine matters little. */
function usPerKib(read: Shape['read'], text: string): number {
  const before = process.cpuUsage();
  for (let time = 0; time < reads; time += 1) attempt(read, text);
  const { user, system } = process.cpuUsage(before);
  return (user + system) / reads / (Buffer.byteLength(text) / 1024);
}

/** Most of these texts are refused, which has to be as quick. */
function attempt(read: Shape['read'], text: string): void {
  try {
    read(text);
  } catch {
    // A refusal is an answer too.
  }
}
