import { appendFileSync, existsSync, readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join, relative } from 'node:path';

/** The environment variable with the path to which a parallel run's processes write how long their files took. */
const variable = 'TEST_DURATIONS';
const shown = 10;

/** In the process that starts the run. */
export async function openDurations(): Promise<void> {
  process.env[variable] = join(await mkdtemp(join(tmpdir(), 'rolelink-durations-')), 'files');
}

/** In the process that ran the file. */
export function noteDuration(file: string, ms: number): void {
  const durations = process.env[variable];
  if (durations !== undefined) appendFileSync(durations, `${Math.round(ms)} ${relative(process.cwd(), file)}\n`);
}

/** In the process that started the run, when all files are done. */
export async function printSlowestFiles(): Promise<void> {
  const durations = process.env[variable];
  if (durations === undefined || !existsSync(durations)) return;
  const files = readFileSync(durations, 'utf8').trim().split('\n');
  const slowest = files.sort((a, b) => Number.parseInt(b, 10) - Number.parseInt(a, 10)).slice(0, shown);
  await rm(join(durations, '..'), { recursive: true });
  process.stdout.write(`  The slowest of ${files.length} files, in ms:\n    ${slowest.join('\n    ')}\n`);
  process.stdout.write(`  By folder, in s: ${secondsByFolder(files).join(' · ')}\n\n`);
}

/** `features/sync 301 (94)`: a folder with its files' seconds together, and their count; the slowest first. */
function secondsByFolder(files: readonly string[]): string[] {
  const sums = new Map<string, [ms: number, files: number]>();
  for (const line of files) {
    const folder = /dist\/test\/([^/]+(?:\/[^/]+(?=\/))?)/.exec(line)?.[1] ?? '';
    const [ms, count] = sums.get(folder) ?? [0, 0];
    sums.set(folder, [ms + Number.parseInt(line, 10), count + 1]);
  }
  const slowest = [...sums].sort(([, [a]], [, [b]]) => b - a);
  return slowest.map(([folder, [ms, count]]) => `${folder} ${Math.round(ms / 1000)} (${count})`);
}
