import { expect } from 'chai';
import sinon from 'sinon';
import { config, useConfig } from '../../../src/config/config.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { findGuild, type Guild } from '../../../src/core/guilds/guild-service.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { deliverTest } from '../../../src/features/webhooks/delivery-service.js';
import { WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import { metrics } from '../../../src/lib/metrics.js';
import { api } from '../../support/api.js';
import { buildGuild, eventually, type TestGuild, tokenFor } from '../../support/build.js';
import {
  buildEvent,
  deliver,
  deliveriesOf,
  inState,
  onlyDelivery,
  type TestEndpoint,
  useEndpoint,
} from './delivery-setup.js';
import { answer, hang } from './receiver.js';

let guild: TestGuild;
let endpoint: TestEndpoint;
let list: string;
const mine = () => ({ guildId: guild.guildId, _id: endpoint.webhookId });

const over = () =>
  eventually(
    async () => (await deliveriesOf(endpoint)).every(({ nextAttemptAt }) => nextAttemptAt === undefined),
    'the end',
  );

const failed = async (): Promise<string> => {
  endpoint.receiver.behave(answer(500, {}, 'no'));
  await deliver(guild, endpoint);
  const { _id, guildId } = await inState(endpoint, 'retrying');
  const ended = { state: 'failed' as const, failureReason: 'attempts_exhausted' as const, completedAt: new Date() };
  await Deliveries.update({ _id, guildId }, { $set: ended, $unset: { nextAttemptAt: 1 } });
  endpoint.receiver.behave(answer(200));
  return _id;
};

const path = (deliveryId: string) => `${guild.path}/deliveries/${deliveryId}`;

/** Registers hooks: each test gets a guild, an endpoint, and its deliveries' address. */
function useDeliveries(): void {
  useEndpoint((...built) => {
    [guild, endpoint] = built;
    list = `${guild.path}/webhooks/${endpoint.webhookId}/deliveries`;
  });
}

describe('The deliveries of an endpoint', () => {
  useDeliveries();

  it('The API lists deliveries newest first, page by page, by state and event', async () => {
    await deliver(guild, endpoint, 5);
    await over();
    endpoint.receiver.behave(hang);
    await Deliveries.acrossGuilds.updateOne(
      { webhookId: endpoint.webhookId },
      { $set: { state: 'failed', event: 'role.synced' } },
    );
    const ids = (await deliveriesOf(endpoint))
      .map(({ _id }) => _id)
      .sort()
      .reverse();
    const first = await guild.api.get(`${list}?limit=3`);
    expect(first.status).to.equal(200);
    const second = await guild.api.get(`${list}?limit=3&cursor=${first.body.nextCursor}`);
    expect(second.body.nextCursor).to.equal(null);
    const listed = [...first.body.data, ...second.body.data];
    expect(listed.map(({ deliveryId }: { deliveryId: string }) => deliveryId)).to.deep.equal(ids);
    expect(first.body.data[0]).to.include({
      webhookId: endpoint.webhookId,
      test: false,
      attemptCount: 1,
      nextAttemptAt: null,
    });
    expect(first.body.data[0].lastAttempt).to.include({ attempt: 1, outcome: 'succeeded', status: 204 });
    const count = async (query: string) => (await guild.api.get(`${list}?${query}`)).body.data.length;
    expect(await count('state=succeeded')).to.equal(4);
    expect(await count('state=failed')).to.equal(1);
    expect(await count('event=role.synced')).to.equal(1);
    expect(await count('event=role.synced&state=succeeded')).to.equal(0);
    expect((await guild.api.get(`${list}?state=lost`)).status).to.equal(400);
    expect((await guild.api.get(`${guild.path}/webhooks/whk_0/deliveries`)).body.code).to.equal('webhook_not_found');
  });

  it('The API shows every attempt and the body of a delivery to admins of the guild only', async () => {
    const deliveryId = await failed();
    const { status, body } = await guild.api.get(path(deliveryId));
    expect(status).to.equal(200);
    expect(body).to.include({ deliveryId, state: 'failed', failureReason: 'attempts_exhausted', attemptCount: 1 });
    expect(body.attempts).to.have.length(1);
    expect(body.attempts[0]).to.include({
      attempt: 1,
      outcome: 'http_error',
      status: 500,
      responseBody: 'no',
      error: null,
    });
    expect(body.body).to.equal(endpoint.receiver.received[0]?.body.toString());
    const other = await buildGuild();
    expect((await other.api.get(`${other.path}/deliveries/${deliveryId}`)).body.code).to.equal('delivery_not_found');
    const manager = api(await tokenFor(guild.guildId, 'manager'));
    for (const answered of [await manager.get(path(deliveryId)), await manager.post(`${path(deliveryId)}/redeliver`)]) {
      expect(answered.body.code).to.equal('forbidden');
    }
  });

  it('A webhook test is listed among the deliveries, and is made immediately and once', async () => {
    const stored = (await findGuild(guild.guildId)) as Guild;
    const event = buildEvent(guild);
    endpoint.receiver.behave(answer(418, {}, 'teapot'));
    const { deliveryId, attempt } = await deliverTest(stored, endpoint.endpoint, event);
    expect(attempt).to.include({ n: 1, outcome: 'http_error', status: 418, responseBody: 'teapot' });
    expect(await onlyDelivery(endpoint)).to.include({
      _id: deliveryId,
      kind: 'test',
      state: 'failed',
      failureReason: 'not_retried',
    });
    expect(endpoint.receiver.received[0]?.headers).to.include({ 'x-link-test': 'true', 'webhook-id': event.id });
    const { body } = await guild.api.get(list);
    expect(body.data[0]).to.include({ deliveryId, test: true });
  });

  it('The metrics count deliveries by endpoint and outcome', async () => {
    endpoint.receiver.behave(answer(500));
    await deliver(guild, endpoint);
    const counted = `rolelink_webhook_endpoint_attempts_total{webhook="${endpoint.webhookId}",result="failed"} 1`;
    // An attempt is counted after it is stored.
    const body = await eventually(async () => {
      const body = await metrics.metrics();
      return body.includes(counted) && body;
    }, 'the count of the attempt');
    expect(body).to.match(/rolelink_webhook_backlog\{state="retrying"\} [1-9]/);
    expect(body).to.match(/rolelink_webhook_oldest_due_seconds \d/);
    expect(body).to.match(/rolelink_webhook_attempts_total\{outcome="http_error"\} [1-9]/);
    expect(body).to.match(/rolelink_webhook_attempt_duration_seconds_count\{result="failed"\} [1-9]/);
  });
});

describe('Repeated deliveries', () => {
  useDeliveries();

  // HOOK-20
  it('A delivery repeated by hand has the same ids and bytes, and is not retried', async () => {
    const deliveryId = await failed();
    const { status, body } = await guild.api.post(`${path(deliveryId)}/redeliver`);
    expect(status).to.equal(202);
    expect(body).to.include({ deliveryId, state: 'pending', failureReason: null, completedAt: null });
    const delivered = await inState(endpoint, 'succeeded');
    expect(delivered.attempts.map(({ n, status: code }) => [n, code])).to.deep.equal([
      [1, 500],
      [2, 200],
    ]);
    const [one, two] = endpoint.receiver.received;
    expect(two?.body).to.deep.equal(one?.body);
    expect(two?.headers['x-link-delivery']).to.equal(deliveryId);
    const { body: log } = await guild.api.get(`${guild.path}/logs?action=delivery.redelivered`);
    expect(log.data[0]).to.deep.include({
      target: { kind: 'delivery', id: deliveryId, name: 'verification.completed' },
      changes: { state: { from: 'failed', to: 'pending' } },
    });

    endpoint.receiver.behave(answer(500));
    expect((await guild.api.post(`${path(deliveryId)}/redeliver`)).status).to.equal(202);
    const again = await inState(endpoint, 'failed');
    expect(again).to.include({ attemptCount: 3, failureReason: 'not_retried' });
    expect(again).not.to.have.any.keys('nextAttemptAt', 'once');
  });

  it('A pointless repetition of a delivery is refused with the reason', async () => {
    const deliveryId = await failed();
    const redeliver = async () => {
      const { status, body } = await guild.api.post(`${path(deliveryId)}/redeliver`);
      return [status, body.code];
    };
    const live = config();
    useConfig({ ...live, webhookDelivery: 'held' });
    expect(await redeliver()).to.deep.equal([409, 'delivery_held']);
    useConfig(live);
    await WebhookEndpoints.update(mine(), { $set: { enabled: false } });
    expect(await redeliver()).to.deep.equal([409, 'webhook_disabled']);
    await WebhookEndpoints.update(mine(), { $set: { enabled: true } });
    endpoint.receiver.behave(hang);
    expect(await redeliver()).to.deep.equal([202, undefined]);
    expect(await redeliver()).to.deep.equal([409, 'delivery_in_progress']);
    await WebhookEndpoints.remove(mine());
    expect(await redeliver()).to.deep.equal([409, 'webhook_removed']);
    const { body } = await guild.api.post(`${path('dlv_0')}/redeliver`);
    expect(body.code).to.equal('delivery_not_found');
    await Deliveries.acrossGuilds.deleteOne({ _id: deliveryId });
  });

  // LOG-6
  it('All deliveries that have failed since a time are repeated together', async () => {
    await deliver(guild, endpoint, 6);
    await over();
    const all = await deliveriesOf(endpoint);
    const at = (minutesAgo: number) => new Date(Date.now() - minutesAgo * 60_000);
    for (const [index, { _id }] of all.entries()) {
      const change =
        index === 0
          ? {}
          : { state: 'failed' as const, completedAt: at(index * 10), failureReason: 'attempts_exhausted' as const };
      await Deliveries.update({ guildId: guild.guildId, _id }, { $set: change });
    }
    const since = at(35).toISOString();
    const before = sinon.stub(Deliveries.acrossGuilds, 'updateMany').rejects(new Error('killed'));
    const killed = await guild.api.post(`${list.replace('deliveries', 'redeliver-failed')}`, { since });
    before.restore();
    expect(killed.status).to.equal(500);
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry?.changes?.redelivered, 'logged before the first').to.deep.equal({ from: null, to: 3 });
    const { status, body } = await guild.api.post(`${list.replace('deliveries', 'redeliver-failed')}`, { since });
    expect([status, body]).to.deep.equal([202, { count: 3 }]);
    await eventually(() => endpoint.receiver.received.length === 9, 'three more');
    await over();
    const states = (await deliveriesOf(endpoint)).map(({ state }) => state);
    expect(states.filter((state) => state === 'failed')).to.have.length(2);
    expect(states.filter((state) => state === 'succeeded')).to.have.length(4);
    const again = await guild.api.post(`${list.replace('deliveries', 'redeliver-failed')}`, { since });
    expect(again.body).to.deep.equal({ count: 0 });
    const refused = await guild.api.post(`${list.replace('deliveries', 'redeliver-failed')}`, { since: 'yesterday' });
    expect(refused.status).to.equal(400);
  });
});
