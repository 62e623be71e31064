import { readdirSync, readFileSync } from 'node:fs';
import { dirname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

/** The project's folder; tests run from a folder with compiled files in it. */
export const root = fileURLToPath(new URL('../../..', import.meta.url));

/** One TypeScript source and what it imports. */
export interface SourceFile {
  /** From the project's folder: `src/lib/ids.ts`. */
  path: string;
  text: string;
  lines: number;
  imports: Import[];
}

interface Import {
  /** Another source's path, or a package's name. */
  target: string;
  /** Whether it is erased by the compiler: nothing is left at run time. */
  typeOnly: boolean;
}

const dashboard = 'src/dashboard/';

/** The service's sources and tests in these folders. The dashboard is its own program. */
export function readSources(...folders: readonly string[]): SourceFile[] {
  return readFolders(folders, /\.ts$/).filter(({ path }) => !path.startsWith(dashboard));
}

/** The dashboard's sources. */
export const readDashboardSources = (): SourceFile[] => readFolders([dashboard], /\.tsx?$/);

function readFolders(folders: readonly string[], ending: RegExp): SourceFile[] {
  return folders.flatMap((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' })
      .filter((name) => ending.test(name))
      .map((name) => readSource(join(folder, name))),
  );
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(root, path), 'utf8');
  const code = text.replaceAll(/\/\*.*?\*\//gs, '').replaceAll(/^\s*\/\/.*$/gm, '');
  const statements = code.matchAll(/^(?:import|export)\s+(type\s)?(?:[^;'"]*?\sfrom\s+)?'([^']+)'/gm);
  const later = code.matchAll(/\b()import\('([^']+)'\)/g);
  const imports = [...statements, ...later].map(([, typeOnly, specifier = '']) => ({
    target: specifier.startsWith('.') ? normalize(join(dirname(path), specifier)).replace(/\.js$/, '.ts') : specifier,
    typeOnly: Boolean(typeOnly),
  }));
  return { path, text, lines: text.split('\n').length - 1, imports };
}

/** A longer file says why on its first line, and may then have a quarter more: `// Longer than 300 lines: …`. */
const excused = /^\/\/ Longer than \d+ lines: .{20,}\n/;

/** `file has N lines`, for each file with more than `limit` lines, except for those that say why. */
export const tooLong = (files: readonly SourceFile[], limit: number): string[] =>
  files
    .filter(({ lines, text }) => lines > (excused.test(text) ? limit * 1.25 : limit))
    .map(({ path, lines }) => `${path} has ${lines} lines`);

/** Source groups that import one another in a circle, types included (Tarjan's strongly connected components). */
export function importCycles(sources: readonly SourceFile[]): string[][] {
  const byPath = new Map(sources.map((source) => [source.path, source]));
  const order = new Map<string, number>();
  const lowest = new Map<string, number>();
  const open: string[] = [];
  const cycles: string[][] = [];
  const visit = (path: string): number => {
    const index = order.size;
    order.set(path, index);
    open.push(path);
    let low = index;
    for (const { target } of byPath.get(path)?.imports ?? []) {
      if (!byPath.has(target)) continue;
      if (!order.has(target)) low = Math.min(low, visit(target));
      else if (open.includes(target)) low = Math.min(low, order.get(target) ?? low);
    }
    lowest.set(path, low);
    if (low === index) {
      const cycle = open.splice(open.indexOf(path));
      if (cycle.length > 1) cycles.push(cycle.sort());
    }
    return low;
  };
  for (const { path } of sources) if (!order.has(path)) visit(path);
  return cycles;
}
