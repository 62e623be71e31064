import { type NeededVersion, readElfVersions } from './elf-versions.js';

/** A version of the GNU C library: 2.36 is `{ major: 2, minor: 36 }`. */
export interface GlibcVersion {
  major: number;
  minor: number;
}

/** Symbols that the engine uses in version 2.38 although older libraries have them under an older name or version. */
const newInNameOnly = new Set([
  '__isoc23_strtol',
  '__isoc23_strtoul',
  '__isoc23_strtoll',
  '__isoc23_strtoull',
  '__isoc23_sscanf',
  '__isoc23_fscanf',
  'fmod',
]);
const newPrefix = '__isoc23_';

/** The oldest symbol version in glibc for each processor: x64, then arm64. */
const oldestVersions = ['GLIBC_2.2.5', 'GLIBC_2.17'];

/** Parses `2.36` or `GLIBC_2.36`; undefined for anything else, such as another library's version. */
export function parseGlibcVersion(text: string): GlibcVersion | undefined {
  const match = /^(?:GLIBC_)?(\d+)\.(\d+)/.exec(text);
  return match ? { major: Number(match[1]), minor: Number(match[2]) } : undefined;
}

export function isOlder(a: GlibcVersion, b: GlibcVersion): boolean {
  return a.major < b.major || (a.major === b.major && a.minor < b.minor);
}

/**
 * A copy of `library`, linked against glibc 2.38, that also loads on `runtime`. Renamed symbols are imported under
 * their old name and version. (`__isoc23_strtol` and related functions also read `0b` numbers; the new `fmod` bypasses
 * the old error handler. The engine relies on neither.) All positions and sizes stay. A symbol's name offset skips the
 * prefix, and the needed-version entry for GLIBC_2.38 gets the oldest version's name and hash. @throws Error if the
 * file needs anything else newer than `runtime`, or can't be read.
 */
export function patchForOlderGlibc(library: Buffer, runtime: GlibcVersion): Buffer {
  const patched = Buffer.from(library);
  const { versions, symbols } = readElfVersions(patched);
  const tooNew = versions.filter(({ name }) => isOlder(runtime, parseGlibcVersion(name) ?? runtime));
  if (tooNew.length === 0) return patched;

  const taken = symbols.filter(({ version }) => tooNew.includes(version));
  const refused = [
    ...tooNew.filter(({ name }) => name !== 'GLIBC_2.38').map(({ name }) => name),
    ...taken.filter(({ name }) => !newInNameOnly.has(name)).map(({ name, version }) => `${name} (${version.name})`),
  ];
  if (refused.length > 0) {
    throw new Error(`needs a newer C library than glibc ${runtime.major}.${runtime.minor}: ${refused.join(', ')}`);
  }
  for (const { name, nameFieldAt } of taken) {
    const skipped = name.startsWith(newPrefix) ? newPrefix.length : 0;
    patched.writeUInt32LE(patched.readUInt32LE(nameFieldAt) + skipped, nameFieldAt);
  }
  const oldest = versions.find((version) => oldestVersions.includes(version.name));
  if (!oldest) throw new Error('asks for no version that every glibc has');
  for (const version of tooNew) renameVersion(patched, version, oldest);
  return patched;
}

/** Copies `vna_hash` and `vna_name`, which define the entry's version; its index and place in the chain stay. */
function renameVersion(library: Buffer, version: NeededVersion, to: NeededVersion): void {
  library.copy(library, version.entryAt, to.entryAt, to.entryAt + 4);
  library.copy(library, version.entryAt + 8, to.entryAt + 8, to.entryAt + 12);
}
