import { expect } from 'chai';
import {
  barsOf,
  heightOf,
  highestStack,
  highestValue,
  lineOf,
  middleOf,
  viewHeight,
  viewWidth,
} from '../../src/dashboard/parts/chart-shapes.js';

const kinds = ['good', 'bad'] as const;
const place = (key: string, good: number | null, bad: number | null) => ({ key, values: { good, bad } });

describe('The bars of a chart', () => {
  it('The bars of a chart stack in their places, a full one as high as the drawing at most', () => {
    const places = [place('a', 6, 2), place('b', 0, null), place('c', 2, 0)];
    expect(highestStack(places, kinds)).to.equal(8);
    const bars = barsOf(places, kinds, 8);
    expect(bars.map(({ key }) => key)).to.deep.equal(['a good', 'a bad', 'c good']);
    const [good, bad, last] = bars;
    expect((good?.y ?? 0) + (good?.height ?? 0)).to.be.closeTo(viewHeight, 0.02);
    expect((bad?.y ?? 0) + (bad?.height ?? 0)).to.be.closeTo(good?.y ?? 0, 0.02);
    expect(good?.x).to.equal(bad?.x);
    expect((last?.x ?? 0) + (last?.width ?? 0)).to.be.at.most(viewWidth);
  });

  it('A bar is seen even for one among very many, and never leaves the drawing', () => {
    const bars = barsOf([place('a', 100_000, 1), place('b', 1, 0)], kinds, 100_001);
    for (const { y, height } of bars) {
      expect(height).to.be.at.least(2);
      expect(y).to.be.at.least(0);
    }
    expect(bars).to.have.length(3);
  });

  it('A chart has no bars where nothing was counted', () => {
    expect(barsOf([place('a', 0, 0)], kinds, 1)).to.deep.equal([]);
    expect(highestStack([place('a', 0, null)], kinds)).to.equal(0);
    expect(highestStack([], kinds)).to.equal(0);
  });
});

// DASH-53
describe('The lines of a chart', () => {
  it('A line goes through the middle of each place, from the bottom for zero to the top for a full one', () => {
    expect(lineOf([0, 5, 10], 10)).to.equal(`M100 ${viewHeight}L300 ${viewHeight / 2}L500 0`);
    expect([middleOf(0, 3), middleOf(2, 3)]).to.deep.equal([100, 500]);
    expect([heightOf(0, 4), heightOf(4, 4)]).to.deep.equal([viewHeight, 0]);
  });

  it('An unknown number breaks a line, and one alone between two breaks is a dot', () => {
    expect(lineOf([null, 1, null, 2, 2], 2)).to.equal('M180 60h0M420 0L540 0');
    expect(lineOf([null, null], 2)).to.equal('');
  });

  it('The highest number of several lines is that of any of them, and unknown ones count as none', () => {
    expect(highestValue([place('a', 3, null), place('b', null, 7)], kinds)).to.equal(7);
    expect(highestValue([place('a', null, null)], kinds)).to.equal(0);
  });
});
