import { fork } from 'node:child_process';
import { mkdtemp, readFile, writeFile } from 'node:fs/promises';
import { SourceMap } from 'node:module';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { removeFolder } from '../support/remove-folder.js';
import { type Mutant, mutate } from './mutants.js';
import type { MutationReport, MutationWork } from './mutation-child.js';
import { type MutationTarget, mutationTargets } from './targets.js';

/** The share of a target's mutants that must be killed. */
const leastShare = 0.9;

const sourceUrl = (path: string): URL => new URL(`../../src/${path}.js`, import.meta.url);
const testPath = (path: string): string => fileURLToPath(new URL(`../${path}.test.js`, import.meta.url));

interface Placed extends Mutant {
  place: string;
}

interface Prepared {
  mutants: Map<number, Placed>;
  replaced: Record<string, string>;
}

/** Writes a target's files, with all their mutants in them, into a folder. */
async function prepare({ sources }: MutationTarget, folder: string): Promise<Prepared> {
  const mutants = new Map<number, Placed>();
  const replaced: Record<string, string> = {};
  for (const source of sources) {
    const { path, within } = typeof source === 'string' ? { path: source, within: undefined } : source;
    const url = sourceUrl(path);
    const code = await readFile(url, 'utf8');
    const map = new SourceMap(JSON.parse(await readFile(`${fileURLToPath(url)}.map`, 'utf8')));
    const mutated = mutate(code, mutants.size + 1, within);
    for (const mutant of mutated.mutants) {
      const before = code.slice(0, mutant.start).split('\n');
      const entry = map.findEntry(before.length - 1, before.at(-1)?.length ?? 0);
      const line = 'originalLine' in entry ? entry.originalLine + 1 : 0;
      mutants.set(mutant.id, { ...mutant, place: `src/${path}.ts:${line}` });
    }
    const file = join(folder, `${path.replaceAll('/', '-')}.mjs`);
    await writeFile(file, mutated.code);
    replaced[url.href] = file;
  }
  return { mutants, replaced };
}

/**
 * Has a child do the work and passes on its report. Returns whether it reached its end: false after a crash, or after
 * `patienceMs` without a word.
 */
function runChild(
  work: MutationWork,
  patienceMs: number,
  onReport: (report: MutationReport) => void,
): Promise<boolean> {
  const child = fork(new URL('mutation-child.js', import.meta.url), [JSON.stringify(work)], { stdio: 'ignore' });
  return new Promise((resolve) => {
    const giveUp = (): boolean => child.kill('SIGKILL');
    let timer = setTimeout(giveUp, patienceMs);
    child.on('message', (report: MutationReport) => {
      clearTimeout(timer);
      timer = setTimeout(giveUp, patienceMs);
      onReport(report);
    });
    child.on('exit', (code) => {
      clearTimeout(timer);
      resolve(code === 0);
    });
  });
}

interface Outcome {
  all: number;
  /** The reason for each survivor. */
  survivors: { mutant: Placed; why: 'not reached' | 'survived' }[];
}

async function tryTarget(target: MutationTarget, folder: string): Promise<Outcome> {
  const { mutants, replaced } = await prepare(target, folder);
  const common = { tests: target.tests.map(testPath), replaced, world: target.world === true };
  const clean: Extract<MutationReport, { kind: 'clean' }>[] = [];
  await runChild({ ...common, ids: [] }, 600_000, (report) => report.kind === 'clean' && clean.push(report));
  const [first] = clean;
  if (first === undefined || first.passed === 0 || first.failed.length > 0) {
    throw new Error(
      `${target.what}: without any mutant the tests fail, or there are none: ${first?.failed.join('; ')}`,
    );
  }
  const killed = new Set<number>();
  const lived = new Set<number>();
  const judge = (report: MutationReport): void => {
    if (report.kind === 'mutant') (report.killedBy === null ? lived : killed).add(report.id);
  };
  const patienceMs = 60_000 + 10 * first.ms;
  for (const id of first.atLoad) {
    const ended = await runChild({ ...common, ids: [], fromStart: id }, patienceMs, judge);
    if (!ended && !lived.has(id)) killed.add(id);
  }
  const inTests = first.inTests.filter((id) => !first.atLoad.includes(id));
  for (;;) {
    const ids = inTests.filter((id) => !killed.has(id) && !lived.has(id));
    const [next] = ids;
    if (next === undefined) break;
    // A mutant that ends the process, or never ends, is noticed too.
    if (!(await runChild({ ...common, ids }, patienceMs, judge))) {
      const [culprit] = ids.filter((id) => !killed.has(id) && !lived.has(id));
      if (culprit !== undefined) killed.add(culprit);
    }
  }
  const survivors = [...mutants.values()]
    .filter(({ id }) => !killed.has(id))
    .map((mutant) => ({ mutant, why: lived.has(mutant.id) ? ('survived' as const) : ('not reached' as const) }));
  return { all: mutants.size, survivors };
}

const print = (line: string): void => void process.stdout.write(`${line}\n`);
const oneLine = (code: string): string => code.replaceAll(/\s+/g, ' ').slice(0, 90);

const wanted = process.argv.slice(2);
const folder = await mkdtemp(join(tmpdir(), 'rolelink-mutation-'));
const rows: string[] = [];
let isEnough = true;
try {
  for (const target of mutationTargets.filter(({ what }) => wanted.length === 0 || wanted.includes(what))) {
    const { all, survivors } = await tryTarget(target, folder);
    const share = (all - survivors.length) / all;
    isEnough &&= share >= leastShare;
    rows.push(`| ${target.what} | ${all} | ${all - survivors.length} | ${(share * 100).toFixed(1)} % |`);
    print(rows.at(-1) ?? '');
    for (const { mutant, why } of survivors) {
      print(`  ${why} ${mutant.place}: ${oneLine(mutant.from)}  →  ${oneLine(mutant.to)}`);
    }
  }
} finally {
  await removeFolder(folder);
}
print(`\n| target | mutants | killed | |\n|---|---|---|---|\n${rows.join('\n')}`);
process.exit(isEnough ? 0 : 1);
