import { spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect } from 'chai';
import { root } from '../structure/source-files.js';

/** The files that CONTRIBUTING names under "How to add …" for a thing, in its order. */
function placesOf(thing: string): string[] {
  const [, recipe = ''] = readFileSync(join(root, 'CONTRIBUTING.md'), 'utf8').split(`- **${thing}:**`);
  return [...(recipe.split(/\n- \*\*|\n## /)[0] ?? '').matchAll(/`((?:src|test)\/[\w./-]+\.ts)`/g)].flatMap(
    ([, path]) => path ?? [],
  );
}

/** A copy of the sources in which a recipe can be tried. */
class Copy {
  readonly folder = mkdtempSync(join(tmpdir(), 'rolelink-recipe-'));

  constructor() {
    for (const part of ['src', 'test', 'commands', 'listeners', 'routes', 'package.json', 'tsconfig.json'])
      cpSync(join(root, part), join(this.folder, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(this.folder, 'node_modules'));
  }

  /** Adds a line after the first one that contains `after`. Throws where there is none. */
  add(path: string, after: string, line: string): void {
    const lines = readFileSync(join(this.folder, path), 'utf8').split('\n');
    const at = lines.findIndex((each) => each.includes(after));
    if (at < 0) throw new Error(`${path} has no line with ${after}`);
    writeFileSync(join(this.folder, path), lines.toSpliced(at + 1, 0, line).join('\n'));
  }

  /** Builds the copy, and returns the files that the compiler complains about. */
  build(): string[] {
    const { stdout } = this.run('node_modules/typescript/bin/tsc', '--pretty', 'false');
    return [...new Set([...stdout.matchAll(/^([\w./-]+\.ts)\(\d+,\d+\): error/gm)].flatMap(([, path]) => path ?? []))];
  }

  /** The titles of the failed tests of a built file. */
  failuresOf(test: string): string[] {
    const { stdout } = this.run('node_modules/mocha/bin/mocha.js', '--no-package', '--reporter', 'json', test);
    const { failures } = JSON.parse(stdout) as { failures: { title: string }[] };
    return failures.map(({ title }) => title);
  }

  run(...line: string[]) {
    return spawnSync(process.execPath, line, { cwd: this.folder, encoding: 'utf8', maxBuffer: 1e8 });
  }
}

describe('The recipes of CONTRIBUTING', function () {
  this.timeout(600_000);
  let copy: Copy;
  let named: string[];
  before(() => {
    copy = new Copy();
    const [conditions = ''] = placesOf('a condition');
    copy.add(conditions, "z.literal('premium')", "    z.strictObject({ type: z.literal('wears_hat') }),");
    const [settings = ''] = placesOf('a setting');
    copy.add(settings, '  .strictObject({', '    greetsLoudly: z.boolean(),');
    copy.add(settings, 'export const defaultSettings', '  greetsLoudly: false,');
    named = copy.build();
  });
  after(() => rmSync(copy.folder, { recursive: true, force: true }));

  it('For a new condition the compiler names its words, the planner’s memory and every list of kinds in tests', () => {
    expect(named).to.include.members([
      'src/features/mappings/condition.ts',
      'src/features/mappings/describe-condition.ts',
      'test/features/sync/member-planner.test.ts',
      'test/model/guild-steps.ts',
      'test/model/oracle.ts',
    ]);
  });

  it('A new setting asks for its name in the log channel, and leaves older documents as they were', () => {
    const test = 'dist/test/core/settings/older-documents.test.js';
    expect(copy.failuresOf(test)).to.deep.equal(['The log channel has words for every setting']);
    copy.add('dist/src/locales/en.json', '"log_field.locale"', '  "log_field.greetsLoudly": "Greets loudly",');
    expect(copy.failuresOf(test)).to.deep.equal([]);
  });
});
