import { expect } from 'chai';
import { parse } from 'csv-parse/sync';
import fc from 'fast-check';
import { csvLine, formulaSafe } from '../../../src/core/audit/csv-cell.js';

// LOG-12
describe('Cells of the export', () => {
  const risky: [string, string][] = [
    ['an equals sign', '=1+1'],
    ['a plus', '+1'],
    ['a minus', '-1'],
    ['an at sign', '@SUM(A1)'],
    ['a tab', '\t=1'],
    ['a tab alone', '\tx'],
    ['a carriage return', '\rx'],
    ['a line feed', '\nx'],
    ['NUL', '\0x'],
    ['spaces before a sign', '   =1'],
    ['a no-break space', '\u00a0x'],
    ['a no-break space before a sign', '\u00a0=1'],
    ['a byte order mark', '\ufeffx'],
    ['a zero-width space before a sign', '\u200b=1'],
    ['an ideographic space before a sign', '\u3000@x'],
    ['a full-width equals sign', '＝1+1'],
    ['a full-width plus', '＋1'],
    ['a full-width minus', '－1'],
    ['a full-width at sign', '＠x'],
    ['a line break before a sign', '\r\n+1'],
    ['a bell before a sign', '\u0007=1'],
  ];
  for (const [start, cell] of risky) {
    it(`A cell that begins with ${start} is made text`, () => {
      expect(formulaSafe(cell)).to.equal(`'${cell}`);
    });
  }

  it('A cell that begins with no sign of a formula is left as it is', () => {
    for (const cell of ['', 'Ann', '7', ' Ann', 'ä=1', '{"a":"=1"}', 'x@y', '1-1', '🦊', "'=1", '"=1']) {
      expect(formulaSafe(cell)).to.equal(cell);
    }
  });

  it('A cell never begins with a sign, whatever is in front of it, and loses nothing', () => {
    const unit = fc.constantFrom(...' \t\r\n\0\u00a0\u200b\ufeff\u3000=+-@＝＋－＠a1"\'');
    fc.assert(
      fc.property(fc.string({ unit, maxLength: 6 }), (cell) => {
        const safe = formulaSafe(cell);
        expect(safe.replace(/^'/, '')).to.equal(cell.replace(/^'/, ''));
        expect(safe).not.to.match(/^[\s\p{Cc}\p{Cf}]*[=+\-@＝＋－＠]/u);
      }),
    );
    expect(parse('"\'=1"')).to.deep.equal([["'=1"]]);
  });
});

describe('Lines of the export', () => {
  it('A line of the export is read as the cells that it was made of, whatever is in them', () => {
    const cell = fc.string({ unit: fc.constantFrom(...'a ,"\'\r\n\tä🦊'), maxLength: 6 });
    fc.assert(
      fc.property(fc.array(cell, { minLength: 2, maxLength: 4 }), (cells) => {
        expect(parse(csvLine(cells), { record_delimiter: '\r\n' })).to.deep.equal([cells]);
      }),
    );
  });
});
