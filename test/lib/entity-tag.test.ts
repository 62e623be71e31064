import { expect } from 'chai';
import { ifMatch, isKnownByCaller, mayReplace } from '../../src/lib/entity-tag.js';

const isHeader = (value: string): boolean => ifMatch.safeParse({ 'if-match': value }).success;

describe('Entity tags (RFC 9110)', () => {
  for (const header of ['*', '"3"', '""', 'W/"3"', '"a", "3"', '"a,b" , W/"3"', ', "3",,']) {
    it(`Entity tags are read from ${header}`, () => expect(isHeader(header)).to.equal(true));
  }

  for (const header of ['', '3', '"3', '"a" "b"', '*, "3"', 'w/"3"', "'3'", '"a"b"']) {
    it(`Entity tags are not in ${header || 'nothing'}`, () => expect(isHeader(header)).to.equal(false));
  }

  it('A header that is no list of entity tags is refused quickly at any length', () => {
    const startedAt = performance.now();
    for (const part of ['"a",', ', ', ' ', '"', 'W/"a" ']) expect(isHeader(`${part.repeat(20_000)}x`)).to.equal(false);
    expect(performance.now() - startedAt).to.be.below(5_000);
  });

  it('A version may be replaced when a strong tag or * names it, or when there is no condition', () => {
    for (const header of [undefined, '*', '"3"', '"1", "3"', '"1","3"', '"a, b", "3"']) {
      expect(mayReplace(header, '"3"'), header).to.equal(true);
    }
    for (const header of ['"2"', 'W/"3"', '"2", W/"3"', '"33"']) expect(mayReplace(header, '"3"')).to.equal(false);
  });

  it('Strong and weak tags identify the version that the caller knows', () => {
    for (const header of ['*', '"3"', 'W/"3"', '"1", W/"3"']) expect(isKnownByCaller(header, '"3"')).to.equal(true);
    for (const header of [undefined, '"2"', 'W/"2"']) expect(isKnownByCaller(header, '"3"')).to.equal(false);
  });
});
