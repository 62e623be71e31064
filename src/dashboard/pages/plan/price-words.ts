import type { Schemas } from '../../../client/api-types.js';

type Price = Schemas['PlanPrice'];

/** A plan's price, such as "€9 / month": nothing for the free one, and "–" where it isn't known. */
export function priceWords(plan: Price['plan'] | 'free', prices: readonly Price[], language: string): string {
  const [first] = prices;
  if (plan === 'free') return first === undefined ? '–' : money(0, first.currency, language);
  const price = prices.find((each) => each.plan === plan);
  if (price === undefined) return '–';
  const { amount, currency, every, interval } = price;
  const length = new Intl.NumberFormat(language, { style: 'unit', unit: interval, unitDisplay: 'long' });
  const parts = length.formatToParts(every).filter(({ type }) => every > 1 || type === 'unit');
  return `${money(amount, currency, language)} / ${parts.map(({ value }) => value).join('')}`;
}

const money = (amount: number, currency: string, language: string): string =>
  amount.toLocaleString(language, {
    ...{ style: 'currency', currency },
    ...(Number.isInteger(amount) && { minimumFractionDigits: 0 }),
  });
