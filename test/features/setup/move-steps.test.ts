import { expect } from 'chai';
import { type MoveFacts, moveSteps } from '../../../src/features/setup/move-steps.js';

const nothing: MoveFacts = {
  ...{ observes: false, hasPeople: false, mappings: 0, isCompared: false, differing: 0 },
  ...{ otherBots: ['Bloxlink'], passed: [] },
};
const told = (facts: Partial<MoveFacts>): string =>
  moveSteps({ ...nothing, ...facts })
    .map(({ state }) => ({ done: '✓', now: '!', later: '.' })[state])
    .join('');

// OBS-94
describe('The steps of the way from another bot', () => {
  it('A new server begins by observing', () => {
    expect(told({})).to.equal('!.....');
  });

  it('Each fact ends its step, in any order, and the first open step is the present one', () => {
    expect(told({ observes: true })).to.equal('✓!....');
    expect(told({ observes: true, mappings: 3 })).to.equal('✓!✓...');
    expect(told({ observes: true, hasPeople: true })).to.equal('✓✓!...');
    expect(told({ observes: true, hasPeople: true, mappings: 3 })).to.equal('✓✓✓!..');
    expect(told({ observes: true, hasPeople: true, mappings: 3, isCompared: true })).to.equal('✓✓✓✓!.');
  });

  it('Differences are looked at until an admin means them, and people may be passed over', () => {
    const compared = { observes: true, mappings: 3, isCompared: true, differing: 2 };
    expect(told({ ...compared, passed: ['people'] })).to.equal('✓✓✓!..');
    expect(told({ ...compared, passed: ['people', 'compare'] })).to.equal('✓✓✓✓!.');
    expect(told({ ...compared, isCompared: false, passed: ['people', 'compare'] })).to.equal('✓✓✓!..');
  });

  it('A server that gives roles is past the comparison, and done once no other bot may give them', () => {
    expect(told({ mappings: 3 })).to.equal('✓✓✓✓✓!');
    expect(told({ mappings: 3, otherBots: [] })).to.equal('✓✓✓✓✓✓');
  });
});
