import { expect } from 'chai';
import { StripeFixture } from './stripe-fixture.js';

const metadata = { guildId: '1' };

describe('The Stripe sandbox: requests of Stripe’s client', () => {
  const fixture = new StripeFixture();

  // ENV-34
  it('The Stripe sandbox sells a subscription and answers with all of it', async () => {
    const { sandbox } = fixture;
    const stripe = fixture.client();
    const customer = await stripe.customers.create({ name: 'Guild', metadata });
    expect(await stripe.customers.retrieve(customer.id)).to.deep.include({ name: 'Guild', metadata });
    const session = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      line_items: [{ price: sandbox.prices.pro.id, quantity: 1 }],
      client_reference_id: '1',
      success_url: 'https://x.example/done',
      cancel_url: 'https://x.example/back',
      subscription_data: { metadata },
    });
    expect(session).to.deep.include({ status: 'open', payment_status: 'unpaid', subscription: null });
    const { id } = sandbox.pay(session.url ?? '');
    const paid = await stripe.checkout.sessions.retrieve(session.id);
    expect(paid).to.deep.include({ status: 'complete', payment_status: 'paid', subscription: id, url: null });
    const subscription = await stripe.subscriptions.retrieve(id);
    expect(subscription).to.deep.include({ status: 'active', customer: customer.id, metadata });
    expect(subscription.items.data.map(({ price }) => price.id)).to.deep.equal([sandbox.prices.pro.id]);
    const portal = await stripe.billingPortal.sessions.create({
      customer: customer.id,
      return_url: 'https://x.example/',
    });
    expect(portal.url).to.contain(`${sandbox.url}/p/session/bps_`);
    sandbox.deleteCustomer(customer.id);
    expect(await stripe.customers.retrieve(customer.id)).to.deep.include({ deleted: true });
  });

  it('The Stripe sandbox refuses unknown ids and a wrong key as Stripe does', async () => {
    const stripe = fixture.client();
    const calls = [
      { call: () => stripe.subscriptions.retrieve('sub_none'), status: 404 },
      { call: () => stripe.customers.retrieve('cus_none'), status: 404 },
      { call: () => stripe.billingPortal.sessions.create({ customer: 'cus_none' }), status: 400 },
    ];
    for (const { call, status } of calls) {
      const error = await call().then(() => null, Object);
      expect([error?.statusCode, error?.code]).to.deep.equal([status, 'resource_missing']);
    }
    const wrongKey = await fixture
      .client('sk_test_wrong')
      .customers.create({})
      .then(() => null, Object);
    expect(wrongKey?.statusCode).to.equal(401);
  });
});

describe('The Stripe sandbox: requests that Stripe’s client would not send', () => {
  const fixture = new StripeFixture({ checked: false });

  it('The Stripe sandbox names the first parameter that is wrong', async () => {
    const unknown = await fixture.post('/v1/customers', 'metadata[a]=b&colour=red');
    expect([unknown.status, unknown.body.error.code, unknown.body.error.param]).to.deep.equal([
      400,
      'parameter_unknown',
      'colour',
    ]);
    const wrong = await fixture.post('/v1/checkout/sessions', 'mode=subscription&line_items[0][colour]=red');
    expect([wrong.status, wrong.body.error.type]).to.deep.equal([400, 'invalid_request_error']);
    expect(wrong.body.error.param).to.match(/^line_items\[0\]/);
    expect((await fixture.post('/v1/nothing', '')).status).to.equal(404);
    const keyless = await fixture.post('/v1/customers', '', { authorization: '' });
    expect([keyless.status, keyless.body.error.type]).to.deep.equal([401, 'invalid_request_error']);
  });

  it('The Stripe sandbox repeats its answer under an idempotency key, and refuses the key for anything else', async () => {
    const { sandbox } = fixture;
    const headers = { 'idempotency-key': 'once' };
    const first = await fixture.post('/v1/customers', 'name=A', headers);
    const again = await fixture.post('/v1/customers', 'name=A', headers);
    expect(again.body).to.deep.equal(first.body);
    expect(again.headers.get('idempotent-replayed')).to.equal('true');
    const other = await fixture.post('/v1/customers', 'name=B', headers);
    expect([other.status, other.body.error.type]).to.deep.equal([400, 'idempotency_error']);
    sandbox.inject({ match: /customers$/, delayMs: 100, when: 'after', times: 1 });
    const [slow, meanwhile] = await Promise.all([
      fixture.post('/v1/customers', 'name=C', { 'idempotency-key': 'slow' }),
      fixture.post('/v1/customers', 'name=C', { 'idempotency-key': 'slow' }),
    ]);
    expect(new Set([slow.body.id, meanwhile.body.id]).size).to.equal(1);
    expect(sandbox.customers().filter(({ name }) => name === 'C')).to.have.length(1);
  });

  it('The Stripe sandbox keeps a 500 under its key, but not refusals before anything was done', async () => {
    const { sandbox } = fixture;
    const ask = (key: string) => fixture.post('/v1/customers', 'name=D', { 'idempotency-key': key });
    for (const [status, next] of [
      [500, 500],
      [503, 200],
      [429, 200],
    ] as const) {
      sandbox.inject({ match: /customers$/, status, times: 1 });
      expect((await ask(`key ${status}`)).status).to.equal(status);
      expect((await ask(`key ${status}`)).status).to.equal(next);
    }
  });
});
