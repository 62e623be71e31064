/** Section types and entry sizes in the ELF-64 object format and its symbol versioning (LSB Core, chapter 10.7). */
const SHT_DYNSYM = 11;
const SHT_GNU_VERNEED = 0x6ffffffe;
const SHT_GNU_VERSYM = 0x6fffffff;
const FILE_HEADER_SIZE = 64;
const SYMBOL_SIZE = 24;
/** The highest bit in a symbol's version index only marks the symbol as hidden. */
const VERSION_INDEX_MASK = 0x7fff;

/** A version that one library requires from another, for example GLIBC_2.38 from libc.so.6. */
export interface NeededVersion {
  name: string;
  /** The value in `.gnu.version` for this version's symbols. */
  index: number;
  /** The offset of its `Elf64_Vernaux` entry, in bytes from the start of the file. */
  entryAt: number;
}

/** A dynamic symbol that a library imports from another one in a certain version. */
export interface VersionedSymbol {
  name: string;
  version: NeededVersion;
  /**
   * The offset of its `st_name` field, in bytes from the start of the file. The field is the name's offset in the
   * string table.
   */
  nameFieldAt: number;
}

interface Section {
  type: number;
  at: number;
  size: number;
  /** The number of the section with this section's strings. */
  link: number;
}

/**
 * A shared library's imports: versions, and the symbols used from them. @throws Error if `library` is not a 64-bit
 * little-endian ELF file with versioned dynamic symbols.
 */
export function readElfVersions(library: Buffer): { versions: NeededVersion[]; symbols: VersionedSymbol[] } {
  const sections = readSections(library);
  const versions = readVersions(library, sections);
  const versionOfIndex = new Map(versions.map((version) => [version.index, version]));
  const [symbolTable, strings] = findSection(sections, SHT_DYNSYM);
  const [indexTable] = findSection(sections, SHT_GNU_VERSYM);

  const symbols: VersionedSymbol[] = [];
  for (let number = 0; number < symbolTable.size / SYMBOL_SIZE; number += 1) {
    const version = versionOfIndex.get(library.readUInt16LE(indexTable.at + number * 2) & VERSION_INDEX_MASK);
    const nameFieldAt = symbolTable.at + number * SYMBOL_SIZE;
    const name = readString(library, strings.at + library.readUInt32LE(nameFieldAt));
    if (version) symbols.push({ name, version, nameFieldAt });
  }
  return { versions, symbols };
}

function readSections(library: Buffer): Section[] {
  const [ELF64, LITTLE_ENDIAN] = [2, 1];
  const isElf = library.length > FILE_HEADER_SIZE && library.toString('latin1', 0, 4) === '\x7fELF';
  if (!isElf || library[4] !== ELF64 || library[5] !== LITTLE_ENDIAN) {
    throw new Error('not a 64-bit little-endian ELF file');
  }
  const tableAt = Number(library.readBigUInt64LE(40));
  const entrySize = library.readUInt16LE(58);
  return Array.from({ length: library.readUInt16LE(60) }, (_, number) => {
    const entryAt = tableAt + number * entrySize;
    return {
      type: library.readUInt32LE(entryAt + 4),
      at: Number(library.readBigUInt64LE(entryAt + 24)),
      size: Number(library.readBigUInt64LE(entryAt + 32)),
      link: library.readUInt32LE(entryAt + 40),
    };
  });
}

/** The section with a type, and the section it links to. */
function findSection(sections: Section[], type: number): [Section, Section] {
  const section = sections.find((candidate) => candidate.type === type);
  const linked = section && sections[section.link];
  if (!section || !linked) throw new Error('an ELF file without versioned dynamic symbols');
  return [section, linked];
}

/** Walks `.gnu.version_r`: a library chain (`Elf64_Verneed`), each with its version chain (`Elf64_Vernaux`). */
function readVersions(library: Buffer, sections: Section[]): NeededVersion[] {
  const [table, strings] = findSection(sections, SHT_GNU_VERNEED);
  const versions: NeededVersion[] = [];
  let libraryAt = table.at;
  for (let nextLibrary = -1; nextLibrary !== 0; libraryAt += nextLibrary) {
    let entryAt = libraryAt + library.readUInt32LE(libraryAt + 8);
    for (let nextEntry = -1; nextEntry !== 0; entryAt += nextEntry) {
      const name = readString(library, strings.at + library.readUInt32LE(entryAt + 8));
      versions.push({ name, index: library.readUInt16LE(entryAt + 6), entryAt });
      nextEntry = library.readUInt32LE(entryAt + 12);
    }
    nextLibrary = library.readUInt32LE(libraryAt + 12);
  }
  return versions;
}

function readString(library: Buffer, at: number): string {
  return library.toString('latin1', at, library.indexOf(0, at));
}
