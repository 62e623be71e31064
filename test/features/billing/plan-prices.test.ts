import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { buildGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { sellPlans } from './billing-setup.js';

// PLAN-16
describe('The prices of the plans', () => {
  sellPlans();

  /** A guild's billing answer, where these prices are for sale. */
  async function billingWith(pro: string, enterprise: string) {
    const guild = await buildGuild();
    const usual = config();
    const { stripe } = usual;
    if (stripe === undefined) throw new Error('no plan is sold');
    useConfig({ ...usual, stripe: { ...stripe, prices: { pro: [pro], enterprise: [enterprise] } } });
    try {
      return await guild.api.get(`${guild.path}/billing`);
    } finally {
      useConfig(usual);
    }
  }

  it('A price that Stripe doesn’t know is left out, and the other one is shown', async () => {
    const { stripe } = await world();
    const { status, body } = await billingWith(stripe.addPrice('Pro', 1_250).id, 'price_gone');
    expect(status).to.equal(200);
    expect(body.prices).to.deep.equal([{ plan: 'pro', amount: 12.5, currency: 'EUR', every: 1, interval: 'month' }]);
  });

  it('Billing answers without prices while Stripe fails, and with them the next time', async () => {
    const { stripe } = await world();
    const ids = [stripe.addPrice('Pro', 900).id, stripe.addPrice('Enterprise', 2_900).id] as const;
    const restore = stripe.inject({ match: /^GET .*\/prices\//, status: 500 });
    const { status, body } = await billingWith(...ids);
    expect([status, body.prices]).to.deep.equal([200, []]);
    restore();
    expect((await billingWith(...ids)).body.prices).to.have.length(2);
  });
});
