import { once } from 'node:events';
import { createServer, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect } from 'chai';
import Stripe from 'stripe';
import { eventually } from '../../support/build.js';
import { StripeFixture } from './stripe-fixture.js';

describe('The Stripe sandbox: pages and events', () => {
  const fixture = new StripeFixture();
  let server: Server;
  let answers: number[];
  let received: { signature: string; body: string }[];

  before(async () => {
    server = createServer(async (request, response) => {
      const body = (await request.setEncoding('utf8').toArray()).join('');
      received.push({ signature: String(request.headers['stripe-signature']), body });
      response.writeHead(answers.shift() ?? 200).end();
    }).listen(0, '127.0.0.1');
    await once(server, 'listening');
    fixture.sandbox.events.sendTo(`http://127.0.0.1:${(server.address() as AddressInfo).port}/`);
  });
  beforeEach(() => {
    answers = [];
    received = [];
  });
  after(() => server.close());

  const buy = () => fixture.sandbox.buy({ priceId: fixture.sandbox.prices.pro.id, metadata: { guildId: '1' } });
  const types = () => received.map(({ body }) => JSON.parse(body).type);

  // ENV-34
  it('The Stripe sandbox reports every change, signed as Stripe’s client expects', async () => {
    const { sandbox } = fixture;
    const { id } = buy();
    sandbox.act(id, 'change', sandbox.prices.enterprise.id);
    sandbox.act(id, 'fail');
    sandbox.act(id, 'end');
    await eventually(() => received.length === 7, 'seven events');
    expect(types()).to.have.members([
      'customer.subscription.created',
      'invoice.paid',
      'checkout.session.completed',
      'customer.subscription.updated',
      'invoice.payment_failed',
      'customer.subscription.updated',
      'customer.subscription.deleted',
    ]);
    for (const { body, signature } of received) {
      const event = Stripe.webhooks.constructEvent(body, signature, sandbox.webhookSecret);
      expect(event.id).to.match(/^evt_/);
    }
    const failed = received.map(({ body }) => JSON.parse(body)).find(({ type }) => type === 'invoice.payment_failed');
    expect(failed.data.object.parent.subscription_details.subscription).to.equal(id);
    const [updated] = received.map(({ body }) => JSON.parse(body)).filter(({ type }) => type.endsWith('updated'));
    expect(Object.keys(updated.data.previous_attributes)).to.deep.equal(['items']);
  });

  it('The Stripe sandbox sends an event again until it is taken, and gives up in the end', async () => {
    const { sandbox } = fixture;
    const { id } = buy();
    await eventually(() => received.length === 3, 'three events');
    answers = [500, 503];
    sandbox.act(id, 'cancel');
    await eventually(() => received.length === 6, 'the third try');
    expect(new Set(received.slice(3).map(({ body }) => body)).size).to.equal(1);
    answers = [500, 500, 500, 500, 500];
    sandbox.act(id, 'resume');
    await eventually(() => sandbox.events.all.at(-1)?.answers.length === 4, 'the last try');
  });

  it('The Stripe sandbox holds events back, and sends each as often as configured', async () => {
    const { sandbox } = fixture;
    sandbox.events.hold();
    buy();
    const [first, second] = sandbox.events.all.slice(-3);
    if (first === undefined || second === undefined) throw new Error('There are no events.');
    for (const event of [second, first, second]) expect(await sandbox.events.deliver(event)).to.equal(200);
    expect(types()).to.deep.equal(['invoice.paid', 'customer.subscription.created', 'invoice.paid']);
    sandbox.events.release();
  });

  it('The Stripe sandbox has pages for payments and for subscriptions', async () => {
    const { sandbox } = fixture;
    const stripe = fixture.client();
    const customer = await stripe.customers.create({});
    const { url } = await stripe.checkout.sessions.create({
      mode: 'subscription',
      customer: customer.id,
      line_items: [{ price: sandbox.prices.pro.id, quantity: 1 }],
      success_url: 'https://x.example/done',
    });
    const path = new URL(url ?? '').pathname;
    expect(await (await fetch(url ?? '')).text()).to.contain('Subscribe to Pro');
    const paid = await fixture.post(path, 'decision=pay');
    expect([paid.status, paid.headers.get('location')]).to.deep.equal([303, 'https://x.example/done']);
    const twice = await fixture.post(path, 'decision=pay');
    expect(twice.status).to.equal(409);
    expect(twice.body).to.contain('This checkout is complete');

    const portal = await stripe.billingPortal.sessions.create({ customer: customer.id });
    const page = await (await fetch(portal.url)).text();
    const [, subscription = ''] = /name="subscription" value="(sub_\w+)"/.exec(page) ?? [];
    const press = (form: string) => fixture.post(new URL(portal.url).pathname, `subscription=${subscription}&${form}`);
    expect((await press('action=cancel')).status).to.equal(303);
    expect(sandbox.subscription(subscription).cancelAtPeriodEnd).to.equal(true);
    await press(`action=change&price=${sandbox.prices.enterprise.id}`);
    await press('action=fail');
    expect(sandbox.subscription(subscription)).to.deep.include({
      status: 'past_due',
      priceId: sandbox.prices.enterprise.id,
    });
    expect((await press('action=change&price=price_none')).status).to.equal(422);
    await press('action=end');
    const late = await press('action=resume');
    expect([late.status, late.body.includes('has ended')]).to.deep.equal([422, true]);
    const foreign = await fixture.post(new URL(portal.url).pathname, `subscription=${buy().id}&action=end`);
    expect(foreign.status).to.equal(422);
    expect(await (await fetch(sandbox.url)).text()).to.contain(`${subscription}: Enterprise, canceled`);
  });
});
