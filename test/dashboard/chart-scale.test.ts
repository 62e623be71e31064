import { expect } from 'chai';
import { marksOf, placeAfter, placeAt, timeSteps } from '../../src/dashboard/parts/chart-scale.js';

// DASH-53
describe('The scale of a chart', () => {
  it('The marks of a scale begin at 0, are at most five at equal distances, and reach the highest number', () => {
    expect(marksOf(0)).to.deep.equal([0, 1]);
    expect(marksOf(1)).to.deep.equal([0, 1]);
    expect(marksOf(4)).to.deep.equal([0, 1, 2, 3, 4]);
    expect(marksOf(5)).to.deep.equal([0, 2, 4, 6]);
    expect(marksOf(308)).to.deep.equal([0, 100, 200, 300, 400]);
    for (const most of [7, 99, 1_001, 123_456]) {
      const marks = marksOf(most);
      expect(marks).to.have.length.within(2, 5);
      expect(marks.at(-1)).to.be.within(most, 2.5 * most);
    }
  });

  it('The marks of a scale of time are whole minutes, hours or days', () => {
    expect(marksOf(100, timeSteps)).to.deep.equal([0, 30, 60, 90, 120]);
    expect(marksOf(900, timeSteps)).to.deep.equal([0, 300, 600, 900]);
    expect(marksOf(86_400, timeSteps)).to.deep.equal([0, 21_600, 43_200, 64_800, 86_400]);
    expect(marksOf(30 * 86_400, timeSteps)).to.deep.equal([0, 10, 20, 30].map((days) => days * 86_400));
  });

  it('The keys of a chart lead a day, a week, or to an end, and never out of it', () => {
    expect(placeAfter('ArrowLeft', 5, 30)).to.equal(4);
    expect(placeAfter('ArrowRight', 29, 30)).to.equal(29);
    expect(placeAfter('ArrowDown', 0, 30)).to.equal(0);
    expect(placeAfter('PageUp', 5, 30)).to.equal(12);
    expect(placeAfter('PageDown', 5, 30)).to.equal(0);
    expect([placeAfter('Home', 5, 30), placeAfter('End', 5, 30)]).to.deep.equal([0, 29]);
    for (const key of ['Tab', 'a', 'constructor']) expect(placeAfter(key, 5, 30), key).to.equal(undefined);
  });

  it('The pointer reads the place below it, also at the edges', () => {
    expect([placeAt(0, 7), placeAt(0.5, 7), placeAt(0.999, 7)]).to.deep.equal([0, 3, 6]);
    expect([placeAt(-0.1, 7), placeAt(1, 7)]).to.deep.equal([0, 6]);
  });
});
