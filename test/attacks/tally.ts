import { differences } from '../edges/http/walk-setup.js';

/** How often attacks in a kind were tried, and refused. */
interface Count {
  tried: number;
  refused: number;
}

const counts = new Map<string, Count>();
const mostFaultsTold = 20;
const longestLine = 1_500;

/** Attacks in one kind. Each is tried, regardless of the others; `end` names those that were not refused. */
export class Onslaught {
  readonly #count: Count;
  readonly #faults: string[] = [];

  constructor(readonly kind: string) {
    this.#count = counts.get(kind) ?? { tried: 0, refused: 0 };
    counts.set(kind, this.#count);
  }

  /** `refused` throws when the attack was not. */
  async try(what: string, refused: () => unknown): Promise<void> {
    this.#count.tried += 1;
    try {
      await refused();
      this.#count.refused += 1;
    } catch (error) {
      this.#faults.push(`${what}: ${String(error)}`);
    }
  }

  /** Compares the stored data with the data before, both from `everythingAbout`. */
  async unchanged(before: string, now: () => Promise<string>): Promise<void> {
    await this.try('what is stored', async () => {
      const changed = differences(before, await now()).map((line) => line.slice(0, longestLine));
      if (changed.length > 0) throw new Error(`changed: ${changed.join('\n')}`);
    });
  }

  /** Throws for attacks that were not refused, and if nothing was tried. */
  end(): void {
    if (this.#count.tried === 0) throw new Error(`There was nothing to attack by ${this.kind}.`);
    if (this.#faults.length === 0) return;
    const told = this.#faults.slice(0, mostFaultsTold).join('\n');
    throw new Error(`${this.#faults.length} attacks by ${this.kind} were not refused:\n${told}`);
  }
}

/** Prints the tried and refused attacks at the run's end. */
export function mochaGlobalTeardown(): void {
  const rows = [...counts].map(([kind, { tried, refused }]) => [kind, String(tried), String(refused)]);
  const all = [...counts.values()];
  const sum = (of: keyof Count) => String(all.reduce((total, count) => total + count[of], 0));
  const table = [['kind', 'tried', 'refused'], ...rows, ['all', sum('tried'), sum('refused')]];
  const width = Math.max(...table.map(([kind = '']) => kind.length));
  for (const [kind = '', tried = '', refused = ''] of table) {
    process.stdout.write(`  ${kind.padEnd(width)} ${tried.padStart(7)} ${refused.padStart(7)}\n`);
  }
}
