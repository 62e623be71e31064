import { expect } from 'chai';
import { InvalidRequest } from '../../src/lib/errors.js';
import { boundedText } from '../../src/lib/given-text.js';
import { BrokenTable, rowsOf } from '../../src/lib/table-text.js';

function refusalOf(text: string, mostBytes = 1024 * 1024): string {
  try {
    boundedText(text, 'text', mostBytes);
  } catch (error) {
    if (error instanceof InvalidRequest) return error.issues.map(({ path, message }) => `${path} ${message}`).join();
    throw error;
  }
  return 'was taken';
}

// CONF-39
describe('A text that people hand in', () => {
  it('A text is refused by its bytes and its lines, whichever mark ends them', () => {
    expect(refusalOf('é'.repeat(600), 1024)).to.equal('text is larger than 1 KiB');
    for (const end of ['\n', '\r', '\r\n']) {
      expect(refusalOf(`1${end}`.repeat(19_999)), JSON.stringify(end)).to.equal('was taken');
      expect(refusalOf(`1${end}`.repeat(20_000)), JSON.stringify(end)).to.equal('text must have at most 20,000 lines');
    }
  });

  it('A table’s rows name the line where they begin, whatever their cells hold', () => {
    const table = 'a,b\n"x\ny", z\n\n,\n“1,2” ,"say ""hi"""\r\nlast';
    expect([...rowsOf(table, { byHeader: true })]).to.deep.equal([
      { line: 1, cells: ['a', 'b'] },
      { line: 2, cells: ['x\ny', 'z'] },
      { line: 6, cells: ['1,2', 'say "hi"'] },
      { line: 7, cells: ['last'] },
    ]);
    expect([...rowsOf('"sep=;"\na,b;c', { byHeader: true })]).to.deep.equal([{ line: 2, cells: ['a,b', 'c'] }]);
    expect([...rowsOf('a;b,c\td', { byHeader: false })]).to.deep.equal([{ line: 1, cells: ['a', 'b', 'c', 'd'] }]);
  });

  it('A table whose quotes do not end, or stand inside a cell, names the line of that row', () => {
    for (const text of ['a\n"b', 'a\nb"c', 'a\n"b"c', 'a\n"b\nc" d'])
      expect(() => [...rowsOf(text, { byHeader: true })], text)
        .to.throw(BrokenTable)
        .with.property('line', 2);
  });

  it('A table is read only as far as somebody asks', () => {
    const rows = rowsOf(`1,2\n"${'never ends'.repeat(1_000)}`, { byHeader: true });
    expect(rows.next().value).to.deep.equal({ line: 1, cells: ['1', '2'] });
  });
});
