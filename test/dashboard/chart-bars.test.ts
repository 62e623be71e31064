import { expect } from 'chai';
import { barsOf, viewHeight, viewWidth } from '../../src/dashboard/parts/chart-bars.js';

const kinds = ['good', 'bad'] as const;
const stack = (key: string, good: number, bad: number) => ({ key, counts: { good, bad } });

describe('The bars of a chart', () => {
  it('The bars of a chart stack in their places, the highest as high as the drawing at most', () => {
    const { bars, top } = barsOf([stack('a', 6, 2), stack('b', 0, 0), stack('c', 2, 0)], kinds);
    expect(top).to.equal(8);
    expect(bars.map(({ key }) => key)).to.deep.equal(['a good', 'a bad', 'c good']);
    const [good, bad, last] = bars;
    expect((good?.y ?? 0) + (good?.height ?? 0)).to.be.closeTo(viewHeight, 0.02);
    expect((bad?.y ?? 0) + (bad?.height ?? 0)).to.be.closeTo(good?.y ?? 0, 0.02);
    expect(good?.x).to.equal(bad?.x);
    expect((last?.x ?? 0) + (last?.width ?? 0)).to.be.at.most(viewWidth);
  });

  it('A bar is seen even for one among very many, and never leaves the drawing', () => {
    const { bars } = barsOf([stack('a', 100_000, 1), stack('b', 1, 0)], kinds);
    for (const { y, height } of bars) {
      expect(height).to.be.at.least(2);
      expect(y).to.be.at.least(0);
    }
    expect(bars).to.have.length(3);
  });

  it('A chart has no bars where nothing was counted', () => {
    expect(barsOf([stack('a', 0, 0)], kinds)).to.deep.equal({ bars: [], top: 0 });
    expect(barsOf([], kinds)).to.deep.equal({ bars: [], top: 0 });
  });
});
