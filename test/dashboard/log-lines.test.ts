import { expect } from 'chai';
import { folded } from '../../src/dashboard/pages/log/folded.js';

describe('The lines of the log on the dashboard', () => {
  // DASH-97
  it('Entries one after the other that read the same are one line, and no others are', () => {
    const entries = ['1 changed', '2 changed', '3 changed', '4 removed', '5 changed'];
    const sentenceOf = (entry: string) => entry.slice(2);
    expect(folded(entries, sentenceOf)).to.deep.equal([
      { entry: '1 changed', sentence: 'changed', alike: ['2 changed', '3 changed'] },
      { entry: '4 removed', sentence: 'removed', alike: [] },
      { entry: '5 changed', sentence: 'changed', alike: [] },
    ]);
    expect(folded([], sentenceOf)).to.deep.equal([]);
  });
});
