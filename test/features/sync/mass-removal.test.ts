import { expect } from 'chai';
import { isMassRemoval } from '../../../src/features/sync/plan/guild-rules.js';

/** RESYNC-9: at least this many people, and more than this share of all. */
describe('The mass-removal brake', () => {
  const removalLimit = { people: 20, sharePercent: 30 };

  it('The mass-removal brake holds once the set number of people would lose roles', () => {
    expect([19, 20, 21].map((losing) => isMassRemoval(losing, 30, removalLimit))).to.deep.equal([false, true, true]);
    expect(isMassRemoval(0, 0, { people: 0, sharePercent: 0 })).to.equal(false);
  });

  it('The mass-removal brake holds above the set share, not at it', () => {
    expect([29, 30, 31].map((losing) => isMassRemoval(losing, 100, removalLimit))).to.deep.equal([false, false, true]);
    expect(isMassRemoval(100, 100, { people: 1, sharePercent: 100 })).to.equal(false);
    expect(isMassRemoval(1, 100, { people: 1, sharePercent: 0 })).to.equal(true);
  });

  it('The removal limit in a guild without members is reached by any member losing roles', () => {
    expect(isMassRemoval(20, 0, removalLimit)).to.equal(true);
    expect(isMassRemoval(1, 0, { people: 1, sharePercent: 99 })).to.equal(true);
  });
});
