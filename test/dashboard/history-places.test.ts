import { expect } from 'chai';
import { growthOf, halvesOf } from '../../src/dashboard/pages/overview/history-places.js';

const placesOf = (...values: (number | null)[]) => values.map((done, index) => ({ key: `${index}`, values: { done } }));

// DASH-155
describe('The comparison of a chart', () => {
  it('The newer half of the days before today is compared with the older', () => {
    expect(halvesOf(placesOf(9, 1, 2, 3, 4, 5, 6, 99), 'done')).to.deep.equal({ days: 3, newer: 15, older: 6 });
    expect(halvesOf(placesOf(1, 2, 99), 'done')).to.deep.equal({ days: 1, newer: 2, older: 1 });
  });

  it('Unknown days, and a half without anything, are not compared', () => {
    expect(halvesOf(placesOf(null, 2, 99), 'done')).to.equal(undefined);
    expect(halvesOf(placesOf(0, 2, 99), 'done')).to.equal(undefined);
    expect(halvesOf(placesOf(1, 2), 'done')).to.equal(undefined);
  });

  it('A level grows from the first day to the last, if both are known', () => {
    expect(growthOf(placesOf(3, null, 10), 'done')).to.equal(7);
    expect(growthOf(placesOf(null, 10), 'done')).to.equal(undefined);
  });
});
