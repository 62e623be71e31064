import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { root } from '../structure/source-files.js';

const copied = [
  ...['src', 'test', 'commands', 'listeners', 'routes', 'docs'],
  ...['package.json', 'tsconfig.json', 'CONTRIBUTING.md', 'vite.config.ts', 'Dockerfile', 'dist/build.json'],
];

/** A project copy in which recipes are tried. */
export class Copy {
  readonly folder: string;

  constructor(folder = mkdtempSync(join(tmpdir(), 'rolelink-recipe-'))) {
    this.folder = folder;
    for (const part of copied) cpSync(join(root, part), join(folder, part), { recursive: true });
    symlinkSync(join(root, 'node_modules'), join(folder, 'node_modules'));
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }

  read(path: string): string {
    return readFileSync(join(this.folder, path), 'utf8');
  }

  write(path: string, text: string): void {
    mkdirSync(dirname(join(this.folder, path)), { recursive: true });
    writeFileSync(join(this.folder, path), text);
  }

  /** Adds a text after the first place that reads `after`. Throws where there is none. */
  add(path: string, after: string, text: string): void {
    const [before, ...rest] = this.read(path).split(after);
    if (rest.length === 0) throw new Error(`${path} does not have: ${after}`);
    this.write(path, `${before}${after}${text}${rest.join(after)}`);
  }

  /** Adds a text to each language in a folder, or to the named ones alone. */
  addWords(folder: string, words: Readonly<Record<string, string>>, only: readonly string[] = this.languages(folder)) {
    const lines = (language: string) =>
      Object.entries(words).map(([key, text]) => {
        const own = language === 'en' ? text : `${text} (${language})`;
        return `\n  ${JSON.stringify(key)}: ${JSON.stringify(own)},`;
      });
    for (const language of only) this.add(`${folder}/${language}.json`, '{', lines(language).join(''));
  }

  languages(folder: string): string[] {
    const files = readdirSync(join(this.folder, folder));
    return files.flatMap((file) => /^([a-z]{2}(?:-[A-Z]{2})?)\.json$/.exec(file)?.[1] ?? []);
  }

  /** Checks the types, and builds unless told otherwise. Returns the files that the compiler complains about. */
  check(...options: string[]): string[] {
    const { stdout } = this.run('node_modules/typescript/bin/tsc', '--pretty', 'false', ...options);
    return [
      ...new Set([...stdout.matchAll(/^([\w./-]+\.tsx?)\(\d+,\d+\): error/gm)].flatMap(([, path]) => path ?? [])),
    ];
  }

  /** The failed tests' titles among built files, each with its message. */
  failuresOf(...files: string[]): Record<string, string> {
    const hooks = ['--require', 'dist/test/support/hooks.js', '--timeout', '300000', '--exit'];
    const fixed = ['--no-package', ...hooks, '--reporter', 'json', '--reporter-option', 'output=dist/outcome.json'];
    const { stderr, stdout } = this.run('node_modules/mocha/bin/mocha.js', ...fixed, ...files);
    try {
      const { failures } = JSON.parse(this.read('dist/outcome.json')) as {
        failures: { fullTitle: string; err: { message?: string } }[];
      };
      return Object.fromEntries(failures.map(({ fullTitle, err }) => [fullTitle, err.message ?? '']));
    } catch (cause) {
      throw new Error(`The tests did not run: ${stdout.slice(-2_000)}${stderr.slice(-2_000)}`, { cause });
    }
  }

  run(...line: string[]) {
    return spawnSync(process.execPath, line, { cwd: this.folder, encoding: 'utf8', maxBuffer: 1e8 });
  }
}
