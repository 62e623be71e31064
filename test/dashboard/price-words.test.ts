import { expect } from 'chai';
import { priceWords } from '../../src/dashboard/pages/plan/price-words.js';

describe('The words of a price', () => {
  const pro = { plan: 'pro', amount: 9.5, currency: 'EUR', every: 1, interval: 'month' } as const;
  const enterprise = { plan: 'enterprise', amount: 4_000, currency: 'JPY', every: 3, interval: 'month' } as const;

  it('A price names its currency and how often it is paid, as the language does', () => {
    expect(priceWords('pro', [pro], 'en')).to.equal('€9.50 / month');
    expect(priceWords('pro', [pro], 'de').replaceAll(/\s/g, ' ')).to.equal('9,50 € / Monat');
    expect(priceWords('enterprise', [enterprise], 'en')).to.equal('¥4,000 / 3 months');
  });

  it('The free plan costs nothing in the currency of the others, and an unknown price is a dash', () => {
    expect(priceWords('free', [pro], 'en')).to.equal('€0');
    expect(priceWords('enterprise', [pro], 'en')).to.equal('–');
  });
});
