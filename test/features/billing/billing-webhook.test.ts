import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { planOf } from '../../../src/core/guilds/guild-service.js';
import { BillingRecords } from '../../../src/features/billing/billing-record.js';
import { syncSubscription, withBillingLease } from '../../../src/features/billing/subscription-sync.js';
import type { SandboxEvent } from '../../sandbox/stripe/stripe-events.js';
import { unixNow } from '../../sandbox/stripe/stripe-objects.js';
import { buildGuild, eventually, type TestGuild } from '../../support/build.js';
import { world } from '../../support/world.js';
import { beginCheckout, billingLog, buy, planBecomes, recordOf, sellPlans } from './billing-setup.js';

/** Sends bytes to the webhook, with a signature or without. */
async function send(body: string, signature?: string, headers: Record<string, string> = {}) {
  const { url } = await world();
  const answer = await fetch(`${url}/api/billing/webhook`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...(signature && { 'stripe-signature': signature }), ...headers },
    body,
  });
  return { status: answer.status, body: (await answer.json()) as { code?: string; received?: boolean } };
}

/** A guild with a paid checkout, and its events, which have not been delivered. */
async function paidInSilence(): Promise<{ guild: TestGuild; events: SandboxEvent[] }> {
  const { stripe } = await world();
  const guild = await buildGuild();
  const url = await beginCheckout(guild, 'pro');
  stripe.events.hold();
  const before = stripe.events.all.length;
  stripe.pay(url);
  return { guild, events: stripe.events.all.slice(before) };
}

// PLAN-15
describe('Requests to Stripe’s webhook', () => {
  sellPlans();

  // AUTH-2
  it('The webhook refuses requests that Stripe did not sign, and changes nothing', async () => {
    const { stripe } = await world();
    const { guild, events } = await paidInSilence();
    const { body = '' } = events[0] ?? {};
    const good = stripe.events.sign(body);
    const signatures: (string | undefined)[] = [
      undefined,
      'nonsense',
      good.replace('v1=', 'v0='),
      good.replace(/v1=.*/, 'v1='),
      't=,v1=',
      good.replace(/.$/, (last) => (last === '0' ? '1' : '0')),
      stripe.events.sign(`${body} `),
      stripe.events.sign(body, unixNow() - 301),
      stripe.events.sign(body, unixNow(), ['whsec_another']),
      stripe.events.sign(body, unixNow(), [config().stripe?.secretKey ?? '']),
    ];
    for (const signature of signatures) {
      const answer = await send(body, signature);
      expect([answer.status, answer.body.code], signature ?? 'none').to.deep.equal([400, 'signature_invalid']);
    }
    expect((await send(body.replace('"active"', '"paused"'), good)).status).to.equal(400);
    expect((await send('', stripe.events.sign(''))).status).to.equal(400);
    expect(await planOf(guild.guildId)).to.equal('free');
    expect((await recordOf(guild)).subscriptions).to.deep.equal([]);
  });

  it('The webhook accepts one of several signatures, up to five minutes old, whatever the media type', async () => {
    const { stripe } = await world();
    const { guild, events } = await paidInSilence();
    const { body = '' } = events[0] ?? {};
    const rolled = stripe.events.sign(body, unixNow() - 290, ['whsec_retired', stripe.webhookSecret]);
    expect(await send(body, rolled, { 'content-type': 'text/plain' })).to.deep.equal({
      status: 200,
      body: { received: true },
    });
    expect(await planOf(guild.guildId)).to.equal('pro');
  });

  // API-1
  it('The webhook refuses bodies over 1 MiB, and takes smaller ones', async () => {
    const { stripe } = await world();
    const large = JSON.stringify({ type: 'x', filler: 'x'.repeat(1024 * 1024) });
    expect(await send(large, stripe.events.sign(large))).to.deep.include({ status: 413 });
    const { body = '' } = (await paidInSilence()).events[0] ?? {};
    const padded = body.replace(/}$/, `${' '.repeat(1000 * 1024)}}`);
    expect((await send(padded, stripe.events.sign(padded))).status).to.equal(200);
  });

  it('The webhook ignores events that it does not know, and those of foreign customers', async () => {
    const { stripe } = await world();
    const records = await BillingRecords.acrossGuilds.countDocuments();
    const object = { id: 'x', object: 'x', customer: 'cus_x', metadata: {} };
    const foreign = { ...object, customer: 'cus_unknown', metadata: { guildId: '100000000000000009' } };
    const events = [
      { type: 'customer.created', data: { object } },
      { type: 'something.from.the.future', data: { object } },
      { type: 'checkout.session.completed', data: { object: { ...object, mode: 'payment', subscription: null } } },
      { type: 'invoice.paid', data: { object: { ...object, parent: null } } },
      { type: 'customer.subscription.updated', data: { object } },
      { type: 'customer.subscription.updated', data: { object: foreign } },
    ];
    for (const event of events) {
      const body = JSON.stringify({ id: 'evt_foreign', object: 'event', ...event });
      expect((await send(body, stripe.events.sign(body))).status, event.type).to.equal(200);
    }
    expect(await BillingRecords.acrossGuilds.countDocuments()).to.equal(records);
  });

  it('The webhook calls a signed body that is no readable event a bad request', async () => {
    const { stripe } = await world();
    const event = (type: unknown, object: unknown) => JSON.stringify({ id: 'evt_bad', type, data: { object } });
    const details = (inner: unknown) => event('invoice.paid', { customer: 'cus_x', parent: inner });
    const bodies = [
      'null',
      '[]',
      '5',
      '{}',
      'not json',
      '{"id":"evt_bad","type":"invoice.paid"}',
      event(5, {}),
      event('customer.subscription.updated', null),
      event('customer.subscription.updated', { id: 5, customer: 'cus_x' }),
      event('customer.subscription.deleted', { id: 'sub_x', customer: null, metadata: {} }),
      event('customer.subscription.created', { id: 'sub_x', customer: 'cus_x', metadata: { guildId: { $gt: '' } } }),
      event('checkout.session.completed', { customer: 'cus_x' }),
      event('invoice.payment_failed', { parent: { subscription_details: {} } }),
      details('nothing'),
      details({ subscription_details: { subscription: 5 } }),
    ];
    for (const body of bodies) {
      const answer = await send(body, stripe.events.sign(body));
      expect([answer.status, answer.body.code], body).to.deep.equal([400, 'invalid_request']);
    }
    const unsigned = await send('null', 'nonsense');
    expect([unsigned.status, unsigned.body.code]).to.deep.equal([400, 'signature_invalid']);
  });
});

describe('Events at Stripe’s webhook', () => {
  sellPlans();

  it('The webhook applies an event once, and believes Stripe’s subscription rather than the event', async () => {
    const { stripe } = await world();
    const { guild, events } = await paidInSilence();
    const [created] = events;
    const subscriptionId = JSON.parse(created?.body ?? '{}').data.object.id;
    stripe.change(subscriptionId, { priceId: stripe.prices.enterprise.id });
    if (created === undefined) throw new Error('There is no event.');
    const statuses = await Promise.all([1, 2, 3].map(() => stripe.events.deliver(created)));
    expect(statuses).to.deep.equal([200, 200, 200]);
    expect(await planOf(guild.guildId)).to.equal('enterprise');
    const reads = () => stripe.requests.filter(({ path }) => path.endsWith(subscriptionId)).length;
    expect(reads()).to.equal(1);
    expect((await billingLog(guild)).filter(({ by }) => by === 'provider')).to.have.length(2);
  });

  // PLAN-10
  it('The webhook believes the subscription at Stripe about its guild, not an event that names another', async () => {
    const { stripe } = await world();
    const { guild, events } = await paidInSilence();
    const other = await buildGuild();
    const claims = events.map(({ body }) => body.replaceAll(guild.guildId, other.guildId));
    for (const body of claims) expect((await send(body, stripe.events.sign(body))).status).to.equal(200);
    expect(await planOf(other.guildId)).to.equal('free');
    expect((await recordOf(other)).subscriptions).to.deep.equal([]);
    expect(await billingLog(other)).to.deep.equal([]);
    expect(await planOf(guild.guildId)).to.equal('pro');

    // Not at Stripe either does one subscription pay for two guilds.
    const [{ subscriptionId = '' } = {}] = (await recordOf(guild)).subscriptions;
    stripe.change(subscriptionId, { metadata: { guildId: other.guildId } });
    const told = stripe.events.all.at(-1);
    if (told === undefined) throw new Error('There is no event.');
    expect(await stripe.events.deliver(told)).to.equal(200);
    expect(await planOf(other.guildId)).to.equal('pro');
    await withBillingLease(guild.guildId, (lease) => syncSubscription(guild.guildId, subscriptionId, lease));
    expect(await planOf(guild.guildId)).to.equal('free');
  });

  it('Stripe sends an event again while its subscription cannot be read, and the webhook then applies it', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    const url = await beginCheckout(guild, 'pro');
    const restore = stripe.inject({ match: /^GET .*\/subscriptions\//, status: 503 });
    const before = stripe.events.all.length;
    stripe.pay(url);
    const events = stripe.events.all.slice(before);
    await eventually(() => events.every(({ answers }) => answers.length > 0), 'answers');
    expect(new Set(events.flatMap(({ answers }) => answers))).to.deep.equal(new Set([503]));
    expect(await planOf(guild.guildId)).to.equal('free');
    restore();
    await planBecomes(guild, 'pro');
  });

  it('The webhook never lets an older reading of a subscription overwrite a newer one', async () => {
    const { stripe } = await world();
    const { guild, events } = await paidInSilence();
    const subscriptionId = JSON.parse(events[0]?.body ?? '{}').data.object.id;
    const reading = stripe.hold({ match: /^GET .*\/subscriptions\//, when: 'after' });
    const [first, second] = events;
    if (first === undefined || second === undefined) throw new Error('There are no events.');
    const slow = stripe.events.deliver(first);
    await reading.reached;
    stripe.act(subscriptionId, 'end');
    const quick = stripe.events.deliver(second);
    // Time enough to overtake, if it could.
    await Promise.race([quick, delay(200)]);
    reading.letGo();
    expect(await Promise.all([slow, quick])).to.deep.equal([200, 200]);
    expect((await recordOf(guild)).subscriptions[0]?.status).to.equal('canceled');
    expect(await planOf(guild.guildId)).to.equal('free');
  });
});

describe('The plan of a subscription', () => {
  sellPlans();

  it('A plan is in force while its subscription is paid or may be yet, and ends with it', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    const { id } = await buy(guild, 'pro');
    const cases = [
      ['past_due', 'pro'],
      ['unpaid', 'free'],
      ['trialing', 'pro'],
      ['paused', 'free'],
      ['active', 'pro'],
      ['incomplete_expired', 'free'],
      ['active', 'pro'],
      ['canceled', 'free'],
    ] as const;
    for (const [status, plan] of cases) {
      stripe.change(id, { status });
      await eventually(async () => (await recordOf(guild)).subscriptions[0]?.status === status, status);
      await planBecomes(guild, plan);
      expect((await guild.api.get(`${guild.path}/billing`)).body).to.deep.include({ plan, status });
    }
  });

  it('A guild keeps its plan through an unpaid month, and its billing shows past_due', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    const { id } = await buy(guild, 'pro');
    const { currentPeriodEnd } = (await guild.api.get(`${guild.path}/billing`)).body;
    stripe.act(id, 'fail');
    const billing = async () => (await guild.api.get(`${guild.path}/billing`)).body;
    await eventually(async () => (await billing()).status === 'past_due', 'the grace');
    expect(await billing()).to.deep.include({ plan: 'pro' });
    stripe.act(id, 'renew');
    await eventually(async () => (await billing()).status === 'active', 'the payment');
    expect(Date.parse((await billing()).currentPeriodEnd)).to.be.greaterThan(Date.parse(currentPeriodEnd));
  });

  // PLAN-14
  it('A subscription with a foreign price keeps its plan, and still takes it away when it ends', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    const { id, customerId } = await buy(guild, 'pro');
    const other = stripe.addPrice('T-shirts', 500);
    const { id: foreign } = stripe.subscribe({ customerId, priceId: other.id, metadata: {} });
    stripe.change(id, { priceId: other.id, status: 'past_due' });
    await eventually(async () => (await recordOf(guild)).subscriptions[0]?.status === 'past_due');
    expect((await recordOf(guild)).subscriptions).to.have.length(1);
    expect(await planOf(guild.guildId)).to.equal('pro');
    stripe.act(foreign, 'end');
    stripe.act(id, 'end');
    await planBecomes(guild, 'free');
  });

  // PLAN-13
  it('A guild with two paid subscriptions has the higher plan', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    const [pro, enterprise] = [await beginCheckout(guild, 'pro'), await beginCheckout(guild, 'enterprise')];
    const [low, high] = [stripe.pay(pro), stripe.pay(enterprise)];
    await eventually(async () => (await recordOf(guild)).subscriptions.length === 2, 'both subscriptions');
    await planBecomes(guild, 'enterprise');
    stripe.act(high.id, 'end');
    await planBecomes(guild, 'pro');
    stripe.act(low.id, 'end');
    await planBecomes(guild, 'free');
  });

  it('A subscription made in Stripe’s dashboard gives its plan, too', async () => {
    const { stripe } = await world();
    const guild = await buildGuild();
    await beginCheckout(guild, 'pro');
    const { customerId } = await recordOf(guild);
    stripe.subscribe({ customerId: customerId ?? '', priceId: stripe.prices.enterprise.id, metadata: {} });
    await planBecomes(guild, 'enterprise');
  });
});
