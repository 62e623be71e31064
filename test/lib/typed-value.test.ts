import { expect } from 'chai';
import { typedValue } from '../../src/lib/typed-value.js';

// FACT-2
it('A typed value is a boolean, a number that a double holds, or a text', () => {
  for (const [typed, value] of [
    ['True', true],
    [' false ', false],
    ['12', 12],
    ['-0.5', -0.5],
    ['9007199254740991', 9_007_199_254_740_991],
    ['-9007199254740991', -9_007_199_254_740_991],
    ['9007199254740993', '9007199254740993'],
    ['1e3', '1e3'],
    ['"12"', '12'],
    ['"true"', 'true'],
    ['Red team', 'Red team'],
    ['', ''],
  ] as const) {
    expect(typedValue(typed), typed).to.equal(value);
  }
});
