import { expect } from 'chai';
import { InvalidRequest } from '../../src/lib/errors.js';
import { readYaml, yamlOf } from '../../src/lib/yaml-text.js';

const size = 64 * 1024;
/** This unit again and again, as long as a text in YAML may be. */
const filled = (unit: string): string => unit.repeat(Math.floor(size / unit.length));

function refusalOf(text: string): string {
  try {
    readYaml(text);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.issues.map(({ message }) => message).join('\n');
    throw error;
  }
  return 'was read';
}

// CONF-16, CONF-17
describe('A YAML text', () => {
  it('A YAML text means the same as a block, as a flow or as JSON', () => {
    const value = { groups: ['1', '2'], mappings: [{ name: 'a: b', of: [{ of: { n: null } }] }], on: true };
    expect(readYaml('groups: ["1", "2"]\nmappings:\n  - name: "a: b"\n    of:\n      - of: { n: null }\non: true\n'))
      .to.deep.equal(value)
      .and.deep.equal(readYaml(JSON.stringify(value)))
      .and.deep.equal(readYaml(`\uFEFF# hello\n---\n${yamlOf(value)}...\n`));
    expect(readYaml('')).to.equal(null);
  });

  it('A YAML text is refused at its first error, with line and column, and the rest is not parsed', () => {
    expect(refusalOf('a: 1\nb: [')).to.match(/at line 2, column/);
    expect(refusalOf(filled('} } } }\n'))).to.match(/end of the stream.*at line 1, column 1$/);
    expect(refusalOf(filled('"a" '))).to.match(/at line 1, column \d$/);
    expect(refusalOf(filled('- a\n b: 1\n')).split('\n')).to.have.length(1);
    expect(refusalOf(`a: ${filled('@')}`).length).to.be.below(400);
  });

  it('A YAML text is refused when it nests deeper than any configuration does, in each way of nesting', () => {
    for (const unit of ['[', '{a: ', '- ', '? ', '[{a: ']) {
      expect(refusalOf(filled(unit)), unit).to.contain('nesting exceeded maxDepth (32) at line 1');
    }
    const stairs = Array.from({ length: 300 }, (_, level) => `${' '.repeat(level)}a:`).join('\n');
    expect(refusalOf(stairs)).to.contain('nesting exceeded maxDepth (32) at line 3');
  });

  it('A YAML text is refused for a repeated key, and for a key that is no plain text', () => {
    expect(refusalOf('a: 1\nb: 2\na: 3')).to.contain('duplicated mapping key at line 3');
    expect(refusalOf('{"a": 1, "a": 2}')).to.contain('duplicated mapping key at line 1');
    expect(refusalOf('? [1]\n: 2')).to.contain('complex keys at line 1, column 1');
  });

  it('A YAML text with an alias, a directive, a second document or a type of its own is refused', () => {
    expect(refusalOf('a: &a [1]\nb: *a')).to.contain('an alias is not taken at line 2, column 4');
    for (const text of ['groups: [*a]', '- *a', '{a: *a}', '? *a', '*a : 1'])
      expect(refusalOf(text), text).to.match(/an alias is not taken at line 1, column \d+$/);
    expect(refusalOf('%YAML 1.1\n---\na: 1')).to.contain('a directive is not taken');
    expect(refusalOf('a: 1\n---\na: 2')).to.contain('more than one document');
    expect(refusalOf(filled('---\n'))).to.contain('more than one document');
    expect(refusalOf('a: !!omap [b: 1, b: 2]')).to.contain('unknown sequence tag');
  });

  // CONF-18
  it('A YAML text may have 64 KiB, and as JSON any size', () => {
    expect(refusalOf(`# ${'a'.repeat(size)}\na: 1`)).to.contain('YAML may have 64 KiB');
    const large = { mappings: Array.from({ length: 5_000 }, (_, index) => ({ name: `m${index}`, on: true })) };
    expect(readYaml(JSON.stringify(large))).to.deep.equal(large);
    const written = yamlOf(large);
    expect(readYaml(written)).to.deep.equal(large);
    expect(refusalOf(`{${written}`)).to.contain('YAML may have 64 KiB');
  });

  it('A YAML text reaches no log: the parser’s warnings, which quote it, are dropped', async () => {
    const warned: Error[] = [];
    const note = (warning: Error) => warned.push(warning);
    process.on('warning', note);
    for (const text of ['a: !secret hush', 'a: !<tag:hush> 1', 'a: !!binary hush', '{? {a: hush} : 1}'])
      refusalOf(text);
    // Node emits warnings on the next tick.
    await new Promise((resolve) => setImmediate(resolve));
    process.off('warning', note);
    expect(warned).to.deep.equal([]);
  });
});
