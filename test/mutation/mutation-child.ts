import { register } from 'node:module';
import { pathToFileURL } from 'node:url';
import fc from 'fast-check';
import Mocha from 'mocha';

export interface MutationWork {
  tests: string[];
  /** Modules that hold mutants, by URL, and the files to read them from. */
  replaced: Record<string, string>;
  /** The mutants to switch on one after the other. */
  ids: number[];
  /** A mutant that is on from the start, since its place is run while modules load. */
  fromStart?: number;
  world: boolean;
}

/** A child's report: first the code that runs at load and in the tests without a mutant, and then each mutant. */
export type MutationReport =
  | { kind: 'clean'; passed: number; failed: string[]; atLoad: number[]; inTests: number[]; ms: number }
  | { kind: 'mutant'; id: number; killedBy: string | null };

const work: MutationWork = JSON.parse(process.argv[2] ?? '');
const reached = new Set<number>();
let active = work.fromStart ?? 0;
Object.assign(globalThis, {
  __mutant: (id: number): boolean => {
    reached.add(id);
    return id === active;
  },
});
register(new URL('mutation-hooks.js', import.meta.url), { data: work.replaced });
// The same random inputs each time, so that a mutant that is killed once is always killed.
fc.configureGlobal({ seed: 1 });

const failed: string[] = [];
let passed = 0;
/** Prints nothing. */
function silently(runner: Mocha.Runner): void {
  runner.on('pass', () => {
    passed += 1;
  });
  runner.on('fail', (test, error: Error) => failed.push(`${test.fullTitle()}: ${error.message}`));
}

const mocha = new Mocha({ bail: true, timeout: 60_000, reporter: silently as unknown as Mocha.ReporterConstructor });
mocha.cleanReferencesAfterRun(false);
if (work.world) mocha.rootHooks((await import('../support/hooks.js')).mochaHooks);
const report = (one: MutationReport): void => void process.send?.(one);

/** Runs the tests to the first that fails, and gives its name and why. */
async function runTests(): Promise<string | null> {
  failed.length = 0;
  await new Promise((resolve) => mocha.run(resolve));
  return failed[0] ?? null;
}

try {
  for (const file of work.tests) {
    // Mocha itself loads files by require, which asks no hooks.
    mocha.suite.emit(Mocha.Suite.constants.EVENT_FILE_PRE_REQUIRE, globalThis, file, mocha);
    await import(pathToFileURL(file).href);
  }
} catch (error) {
  if (work.fromStart === undefined) throw error;
  report({ kind: 'mutant', id: work.fromStart, killedBy: `does not load: ${String(error)}` });
  process.exit(0);
}
const atLoad = [...reached];
if (work.fromStart === undefined && work.ids.length === 0) {
  reached.clear();
  const begun = performance.now();
  await runTests();
  report({ kind: 'clean', passed, failed: [...failed], atLoad, inTests: [...reached], ms: performance.now() - begun });
} else {
  for (const id of work.fromStart === undefined ? work.ids : [work.fromStart]) {
    active = id;
    const killedBy = await runTests();
    if (work.fromStart === undefined) active = 0;
    report({ kind: 'mutant', id, killedBy });
  }
}
process.exit(0);
