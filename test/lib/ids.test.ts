import { expect } from 'chai';
import { newId } from '../../src/lib/ids.js';

// ID-1
describe('Ids', () => {
  it('An id has its prefix and 24 hex digits, and sorts by age, also within one moment', () => {
    const now = new Date();
    const later = new Date(now.getTime() + 1_000);
    const ids = [...Array.from({ length: 500 }, () => newId('log', now)), newId('log', later)];
    for (const id of ids) expect(id).to.match(/^log_[0-9a-f]{24}$/);
    expect(new Set(ids).size).to.equal(501);
    expect(ids).to.deep.equal([...ids].sort());
  });
});
