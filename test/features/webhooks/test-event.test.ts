import { expect } from 'chai';
import { Webhook } from 'standardwebhooks';
import { config, useConfig } from '../../../src/config/config.js';
import { eventEnvelope, eventName } from '../../../src/platforms/events/event-types.js';
import { buildGuild } from '../../support/build.js';
import { answer, type Receiver, startReceiver } from './receiver.js';
import { webhookEntries } from './webhook-entries.js';

// HOOK-2
describe('Tests of a webhook', () => {
  let receiver: Receiver;
  before(async () => {
    receiver = await startReceiver();
  });
  beforeEach(() => receiver.behave(answer(204)));
  after(() => receiver.close());

  async function endpoint(more: object = {}) {
    const guild = await buildGuild();
    const draft = { url: receiver.url, events: ['role.synced', 'guild.suspended'], ...more };
    const { body } = await guild.api.post(`${guild.path}/webhooks`, draft);
    return {
      guild,
      path: `${guild.path}/webhooks/${body.webhookId}`,
      webhookId: body.webhookId,
      secret: body.secret as string,
    };
  }

  it('A webhook test sends any of the events, signed, in the very shape of a real one, and marked', async () => {
    const { guild, path, secret } = await endpoint();
    for (const event of eventName.options) {
      const { status, body } = await guild.api.post(`${path}/test`, { event });
      expect(status, JSON.stringify(body)).to.equal(200);
      expect(body).to.deep.include({ event, delivered: true });
      expect(body.attempt).to.deep.include({ attempt: 1, outcome: 'succeeded', status: 204 });
      const received = receiver.received.at(-1);
      expect(received?.headers).to.deep.include({
        'content-type': 'application/json',
        'x-link-event': event,
        'x-link-delivery': body.deliveryId,
        'webhook-id': body.eventId,
        'x-link-test': 'true',
      });
      const sent = new Webhook(secret).verify(received?.body ?? '', received?.headers as Record<string, string>);
      expect(eventEnvelope(event).safeParse(sent).error).to.equal(undefined);
      expect(sent).to.deep.include({ id: body.eventId, event, guildId: guild.guildId });
    }
  });

  it('A webhook test sends the first event of the endpoint by default, and is logged', async () => {
    const { guild, path, webhookId } = await endpoint();
    const { body } = await guild.api.post(`${path}/test`, {});
    expect(body).to.deep.include({ event: 'role.synced', delivered: true });
    const [entry] = await webhookEntries(guild.guildId);
    expect(entry).to.deep.include({ action: 'webhook.tested', changes: { event: { from: null, to: 'role.synced' } } });
    expect(entry?.target.id).to.equal(webhookId);
  });

  it('A webhook test returns the answer of a failing receiver', async () => {
    receiver.behave(answer(500, {}, 'out of order'));
    const { guild, path } = await endpoint();
    const { status, body } = await guild.api.post(`${path}/test`, {});
    expect(status).to.equal(200);
    expect(body.delivered).to.equal(false);
    expect(body.attempt).to.deep.include({ outcome: 'http_error', status: 500, responseBody: 'out of order' });
  });

  it('A webhook test tries an endpoint that is turned off, before it is turned on', async () => {
    const { guild, path } = await endpoint({ enabled: false });
    const { status, body } = await guild.api.post(`${path}/test`, {});
    expect(status, JSON.stringify(body)).to.equal(200);
    expect(body.delivered).to.equal(true);
  });

  it('A webhook test of another event is refused, and so is every test while deliveries are held', async () => {
    const { guild, path } = await endpoint();
    const sent = receiver.received.length;
    expect((await guild.api.post(`${path}/test`, { event: 'member.linked' })).status).to.equal(400);
    const live = config();
    useConfig({ ...live, webhookDelivery: 'held' });
    try {
      const { status, body } = await guild.api.post(`${path}/test`, {});
      expect({ status, code: body.code }).to.deep.equal({ status: 409, code: 'delivery_held' });
      expect((await guild.api.get(path)).body.paused).to.equal('delivery_held');
    } finally {
      useConfig(live);
    }
    expect((await guild.api.get(path)).body.paused).to.equal(null);
    expect(receiver.received).to.have.length(sent);
  });
});
