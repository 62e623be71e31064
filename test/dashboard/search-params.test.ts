import { expect } from 'chai';
import { parseSearch, stringifySearch } from '../../src/dashboard/search-params.js';

const read = (search: string): Record<string, unknown> => parseSearch(search);

describe('The search of an address', () => {
  it('The search of an address keeps every digit of an id, with or without quotation marks', () => {
    for (const text of ['?q=175928847299117063', '?q=%22175928847299117063%22']) {
      expect(read(text).q).to.equal('175928847299117063');
    }
    expect(stringifySearch({ q: '175928847299117063' })).to.equal('?q=175928847299117063');
  });

  it('The search of an address is read as it was written', () => {
    for (const q of [
      '65f1e2a3b4c5d6e7f8091a2b',
      '175928847299117063',
      '12345',
      '1e5',
      'true',
      '"',
      'Ada & Bo',
      7,
      true,
    ]) {
      expect(read(stringifySearch({ q })).q).to.equal(q);
    }
  });
});
