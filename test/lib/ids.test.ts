import { expect } from 'chai';
import { newId, newIdAfter } from '../../src/lib/ids.js';

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

  it('An id after another sorts behind it, even if that one is from the time to come', () => {
    expect(newIdAfter('pim')).to.match(/^pim_[0-9a-f]{24}$/);
    expect(newIdAfter('pim', 'pim_000000000000000000000001') > 'pim_1').to.equal(true);
    expect(newIdAfter('pim', 'pim_f000000000000000000000ff')).to.equal('pim_f00000000000000000000100');
  });
});
