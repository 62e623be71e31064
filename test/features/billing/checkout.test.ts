import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { planOf } from '../../../src/core/guilds/guild-service.js';
import { plans } from '../../../src/core/plans/plans.js';
import { buildGuild, eventually } from '../../support/build.js';
import { world } from '../../support/world.js';
import { beginCheckout, billingLog, buy, planBecomes, recordOf, sellPlans } from './billing-setup.js';

// PLAN-12
describe('Checkout of a plan', () => {
  sellPlans();

  it('A guild buys a plan on the page that the checkout names, and billing, Stripe and log show it', async () => {
    const { stripe, url: publicUrl } = await world();
    const guild = await buildGuild();
    const url = await beginCheckout(guild, 'pro');
    expect(url).to.match(new RegExp(`^${stripe.url}/c/pay/cs_`));
    expect(await (await fetch(url)).text()).to.contain('Subscribe to Pro: 9.00 €');
    const form = { method: 'POST', body: new URLSearchParams({ decision: 'pay' }), redirect: 'manual' } as const;
    const paid = await fetch(url, form);
    expect(paid.headers.get('location')).to.equal(`${publicUrl}/billing/return?outcome=paid`);
    const page = await fetch(paid.headers.get('location') ?? '');
    expect(page.status).to.equal(200);
    expect(await page.text()).to.contain('Thank you');

    await planBecomes(guild, 'pro');
    const [stored] = (await recordOf(guild)).subscriptions;
    const { id, periodEnd, customerId, metadata } = stripe.subscription(stored?.subscriptionId ?? '');
    expect(metadata).to.deep.equal({ guildId: guild.guildId });
    expect(stripe.customers().find((customer) => customer.id === customerId)).to.deep.include({
      name: guild.guild.name,
      metadata: { guildId: guild.guildId },
    });
    const currentPeriodEnd = new Date(periodEnd * 1000);
    expect((await guild.api.get(`${guild.path}/billing`)).body).to.deep.equal({
      plan: 'pro',
      status: 'active',
      provider: 'stripe',
      // PLAN-16
      prices: [
        { plan: 'pro', amount: 9, currency: 'EUR', every: 1, interval: 'month' },
        { plan: 'enterprise', amount: 29, currency: 'EUR', every: 1, interval: 'month' },
      ],
      limits: plans.pro,
      usage: { groups: 0, mappings: 0, webhookEndpoints: 0 },
      currentPeriodEnd: currentPeriodEnd.toISOString(),
      cancelAtPeriodEnd: false,
    });
    const facts = { status: 'active', plan: 'pro', cancelAtPeriodEnd: false };
    expect(await recordOf(guild)).to.deep.include({
      customerId,
      subscriptions: [{ subscriptionId: id, ...facts, currentPeriodEnd }],
    });
    expect(await billingLog(guild)).to.deep.equal([
      { action: 'billing.checkout_started', by: 'bot_token', changes: { plan: { from: null, to: 'pro' } } },
      {
        action: 'billing.subscription_changed',
        by: 'provider',
        changes: {
          status: { from: null, to: 'active' },
          plan: { from: null, to: 'pro' },
          currentPeriodEnd: { from: null, to: currentPeriodEnd },
          cancelAtPeriodEnd: { from: null, to: false },
        },
      },
      { action: 'billing.plan_changed', by: 'provider', changes: { plan: { from: 'free', to: 'pro' } } },
    ]);
  });

  it('The checkout returns the same page for repeated requests, until that page expires', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    const ask = () => guild.api.post(`${guild.path}/billing/checkout`, { plan: 'pro' });
    const answers = await Promise.all([ask(), ask(), ask(), ask(), ask()]);
    expect(answers.map(({ status }) => status)).to.deep.equal([201, 201, 201, 201, 201]);
    const [url = ''] = answers.map(({ body }) => body.url);
    expect(new Set(answers.map(({ body }) => body.url)).size).to.equal(1);
    expect(stripe.customers().filter(({ metadata }) => metadata.guildId === guild.guildId)).to.have.length(1);
    expect(await billingLog(guild)).to.have.length(1);

    const back = await fetch(url, {
      method: 'POST',
      body: new URLSearchParams({ decision: 'cancel' }),
      redirect: 'manual',
    });
    expect(back.headers.get('location')).to.match(/outcome=cancelled$/);
    expect(await beginCheckout(guild, 'pro')).to.equal(url);
    stripe.expireCheckout(url);
    const second = await beginCheckout(guild, 'pro');
    expect(second).not.to.equal(url);
    expect(await beginCheckout(guild, 'enterprise')).not.to.equal(second);
  });

  it('The checkout detects a paid plan before it would sell it again', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    stripe.events.hold();
    stripe.pay(await beginCheckout(guild, 'pro'));
    expect(await planOf(guild.guildId)).to.equal('free');
    const { status, body } = await guild.api.post(`${guild.path}/billing/checkout`, { plan: 'pro' });
    expect({ status, code: body.code }).to.deep.equal({ status: 409, code: 'subscription_exists' });
    expect(await planOf(guild.guildId)).to.equal('pro');
  });

  it('The checkout refuses guilds that have a subscription, or the plan or a higher one already', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    const refusal = async (plan: string) => {
      const { status, body } = await guild.api.post(`${guild.path}/billing/checkout`, { plan });
      return { status, code: body.code };
    };
    const { id } = await buy(guild, 'enterprise');
    for (const status of ['active', 'past_due', 'unpaid', 'paused', 'incomplete'] as const) {
      stripe.change(id, { status });
      await eventually(async () => (await recordOf(guild)).subscriptions[0]?.status === status);
      expect(await refusal('enterprise')).to.deep.equal({ status: 409, code: 'subscription_exists' });
    }
    // Also before an event has reported the end.
    stripe.events.hold();
    stripe.act(id, 'end');
    expect((await refusal('pro')).status).to.equal(201);
    expect(await planOf(guild.guildId)).to.equal('free');

    useConfig({ ...config(), defaultPlan: 'enterprise' });
    const rich = await buildGuild();
    const answer = await rich.api.post(`${rich.path}/billing/checkout`, { plan: 'pro' });
    useConfig({ ...config(), defaultPlan: 'free' });
    expect([answer.status, answer.body.code]).to.deep.equal([409, 'plan_in_force']);
    expect(await refusal('free')).to.deep.equal({ status: 400, code: 'invalid_request' });
  });

  it('Checkout, portal and webhook answer 503 without Stripe’s keys, and the billing reports that nothing is sold', async () => {
    const guild = await buildGuild();
    const usual = config();
    useConfig({ ...usual, stripe: undefined });
    try {
      const answers = [
        await guild.api.post(`${guild.path}/billing/checkout`, { plan: 'pro' }),
        await guild.api.post(`${guild.path}/billing/portal`),
        await guild.api.post('/api/billing/webhook', {}),
      ];
      for (const { status, body } of answers) {
        expect([status, body.code]).to.deep.equal([503, 'billing_not_configured']);
      }
      expect((await guild.api.get(`${guild.path}/billing`)).body).to.deep.include({
        ...{ plan: 'free', provider: null, prices: [] },
      });
    } finally {
      useConfig(usual);
    }
    expect(await billingLog(guild)).to.deep.equal([]);
  });
});

describe('A checkout when Stripe fails', () => {
  sellPlans();

  const failures = [
    { reaction: 'answers 500', fault: { status: 500 } },
    { reaction: 'answers 503', fault: { status: 503 } },
    { reaction: 'refuses', fault: { status: 402 } },
    { reaction: 'limits the rate', fault: { status: 429 } },
    { reaction: 'hangs up', fault: { dropSocket: true } },
  ];
  for (const { reaction, fault } of failures) {
    it(`The checkout answers 503 when Stripe ${reaction}, and works the next time`, async () => {
      const { stripe } = await world();
      const guild = await buildGuild();
      for (const operation of [/^POST .*\/customers$/, /^POST .*\/checkout\/sessions$/]) {
        const restore = stripe.inject({ match: operation, ...fault });
        const { status, body } = await guild.api.post(`${guild.path}/billing/checkout`, { plan: 'pro' });
        expect([status, body.code]).to.deep.equal([503, 'billing_provider_unavailable']);
        restore();
      }
      expect(await billingLog(guild)).to.deep.equal([]);
      // A failure that Stripe keeps under an idempotency key is not met again.
      expect(await beginCheckout(guild, 'pro')).to.contain('/c/pay/');
    });
  }

  it('The checkout makes one customer when Stripe’s answers are lost', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    stripe.inject({ match: /^POST .*\/(customers|checkout\/sessions)$/, dropSocket: true, when: 'after', times: 4 });
    const ask = () => guild.api.post(`${guild.path}/billing/checkout`, { plan: 'pro' });
    expect((await ask()).status).to.equal(503);
    await eventually(async () => (await ask()).status === 201, 'a checkout');
    expect(stripe.customers().filter(({ metadata }) => metadata.guildId === guild.guildId)).to.have.length(1);
  });

  it('The checkout makes a new customer in place of one that was deleted at Stripe', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    stripe.expireCheckout(await beginCheckout(guild, 'pro'));
    const { customerId } = await recordOf(guild);
    stripe.deleteCustomer(customerId ?? '');
    expect((await guild.api.post(`${guild.path}/billing/portal`)).body.code).to.equal('subscription_missing');
    await beginCheckout(guild, 'pro');
    expect((await recordOf(guild)).customerId)
      .to.match(/^cus_/)
      .and.not.equal(customerId);
  });
});

describe('The billing portal', () => {
  sellPlans();

  it('The portal opens the page where the subscription is cancelled and resumed', async () => {
    const { url: publicUrl } = await world();
    const guild = await buildGuild();
    const { status, body } = await guild.api.post(`${guild.path}/billing/portal`);
    expect([status, body.code]).to.deep.equal([409, 'subscription_missing']);
    const { id: subscription } = await buy(guild, 'pro');
    const portal = await guild.api.post(`${guild.path}/billing/portal`);
    expect(portal.status, JSON.stringify(portal.body)).to.equal(201);
    expect(await (await fetch(portal.body.url)).text()).to.contain(`${publicUrl}/billing/return?outcome=portal`);
    const press = (action: string) =>
      fetch(portal.body.url, { method: 'POST', body: new URLSearchParams({ subscription, action }) });
    const billing = async () => (await guild.api.get(`${guild.path}/billing`)).body;

    await press('cancel');
    await eventually(async () => (await billing()).cancelAtPeriodEnd === true, 'the cancellation');
    expect(await billing()).to.deep.include({ plan: 'pro', status: 'active' });
    await press('resume');
    await eventually(async () => (await billing()).cancelAtPeriodEnd === false, 'the resumption');
    expect((await billingLog(guild)).map(({ action }) => action)).to.deep.equal([
      'billing.checkout_started',
      'billing.subscription_changed',
      'billing.plan_changed',
      'billing.portal_opened',
      'billing.subscription_changed',
      'billing.subscription_changed',
    ]);
  });
});
