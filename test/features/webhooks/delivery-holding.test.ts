import { expect } from 'chai';
import { config, useConfig } from '../../../src/config/config.js';
import { changePlan, suspendGuild, unsuspendGuild } from '../../../src/core/guilds/guild-service.js';
import { wakeDeliveries } from '../../../src/features/webhooks/delivery-job.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { newDelivery, purgeDeliveries, storeDeliveries } from '../../../src/features/webhooks/delivery-store.js';
import { WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import { clock } from '../../../src/lib/clock.js';
import { eventually, type TestGuild } from '../../support/build.js';
import {
  buildEvent,
  buildWorker,
  deliver,
  deliveriesOf,
  inState,
  onlyDelivery,
  type TestEndpoint,
  useEndpoint,
} from './delivery-setup.js';
import { answer } from './receiver.js';

const hourMs = 60 * 60_000;
const dayMs = 24 * hourMs;

// HOOK-23, HOOK-24, HOOK-25
describe('Held and kept deliveries', () => {
  let guild: TestGuild;
  let endpoint: TestEndpoint;
  useEndpoint((...built) => {
    [guild, endpoint] = built;
  });

  const mine = () => ({ guildId: guild.guildId, _id: endpoint.webhookId });
  const received = () => endpoint.receiver.received.length;
  /** Processes the endpoint's due deliveries as the service would, and waits for the end. */
  const work = async (now = new Date()) => {
    const worker = buildWorker({ now: () => now });
    worker.wake(endpoint.webhookId);
    await worker.idle();
  };
  /** A delivery that was stored a while ago. */
  const store = async (agoMs: number) => {
    const at = new Date(Date.now() - agoMs);
    const delivery = newDelivery({ ...buildEvent(guild), createdAt: at }, endpoint.webhookId, 'event', at);
    await Deliveries.insert(delivery);
    return delivery._id;
  };

  it('WEBHOOK_DELIVERY=held stores deliveries without making them; live delivers those of the last 24 hours', async () => {
    const live = config();
    useConfig({ ...live, webhookDelivery: 'held' });
    let stored: string[];
    try {
      await storeDeliveries([buildEvent(guild)], async () => [endpoint.endpoint]);
      stored = [await store(25 * hourMs), await store(23 * hourMs)];
      wakeDeliveries([endpoint.webhookId]);
      expect(received()).to.equal(0);
      const all = await deliveriesOf(endpoint);
      expect(all.map(({ state, attemptCount }) => [state, attemptCount])).to.deep.equal(Array(3).fill(['pending', 0]));
    } finally {
      useConfig(live);
    }
    wakeDeliveries([endpoint.webhookId]);
    await eventually(() => received() === 2, 'two deliveries');
    await eventually(async () => (await deliveriesOf(endpoint)).every(({ completedAt }) => completedAt), 'the end');
    const [old, recent] = await Promise.all(stored.map((_id) => Deliveries.findOne({ guildId: guild.guildId, _id })));
    expect(old).to.include({ state: 'failed', failureReason: 'expired_while_held', attemptCount: 0 });
    expect(recent).to.include({ state: 'succeeded', attemptCount: 1 });
    // Its retry time begins with its first attempt, not when it was stored.
    expect(Date.now() - Number(recent?.firstAttemptAt)).to.be.below(60_000);
  });

  it('A suspension holds later deliveries until it ends, and earlier ones are still sent', async () => {
    const before = buildEvent(guild, 'verification.completed');
    const suspended = await suspendGuild(guild.guildId, 'Abuse', 'test');
    const fact = buildEvent(guild, 'guild.suspended');
    const after = buildEvent(guild, 'verification.completed');
    expect(suspended.suspension?.at.getTime()).to.be.at.least(before.createdAt.getTime());
    after.createdAt = new Date(Date.now() + 5);
    await storeDeliveries([before, after, fact], async () => [endpoint.endpoint]);
    // The relay brings the suspension's own event too.
    await eventually(() => received() >= 3, 'what went before');
    await work();
    const stateOf = async (id: string) => (await deliveriesOf(endpoint)).find(({ eventId }) => eventId === id)?.state;
    // The service works on the same deliveries.
    const succeeds = (id: string) => eventually(async () => (await stateOf(id)) === 'succeeded', 'the delivery');
    await succeeds(before.id);
    await succeeds(fact.id);
    expect(await stateOf(after.id)).to.equal('pending');
    await unsuspendGuild(guild.guildId);
    await work();
    await succeeds(after.id);
    const ids = endpoint.receiver.received.map(({ headers }) => headers['webhook-id']);
    expect(ids).to.have.length(4).and.include.members([before.id, fact.id, after.id]);
  });

  it('Deliveries held by the plan or a disabled endpoint wait for 24 hours', async () => {
    const pauses = [
      { begin: () => changePlan(guild.guildId, 'free'), end: () => changePlan(guild.guildId, 'enterprise') },
      {
        begin: () => WebhookEndpoints.update(mine(), { $set: { enabled: false } }),
        end: () => WebhookEndpoints.update(mine(), { $set: { enabled: true } }),
      },
    ];
    for (const [index, { begin, end }] of pauses.entries()) {
      await begin();
      const [old, young] = [await store(25 * hourMs), await store(hourMs)];
      await work();
      const stateOf = async (_id: string) => (await Deliveries.findOne({ guildId: guild.guildId, _id }))?.state;
      // The service works on the same deliveries.
      await eventually(async () => (await stateOf(old)) === 'failed', 'the end of the old one');
      expect(received()).to.equal(index);
      expect(await stateOf(young)).to.equal('pending');
      await end();
      await work();
      await eventually(async () => (await stateOf(young)) === 'succeeded', 'the delivery');
      expect(await stateOf(old)).to.equal('failed');
      expect(received()).to.equal(index + 1);
    }
  });

  it('Deliveries end when their endpoint is removed', async () => {
    endpoint.receiver.behave(answer(500));
    await deliver(guild, endpoint);
    await inState(endpoint, 'retrying');
    await WebhookEndpoints.remove(mine());
    await work();
    expect(await onlyDelivery(endpoint)).to.include({ state: 'failed', failureReason: 'endpoint_removed' });
    expect(received()).to.equal(1);
  });

  it('A 410 turns the endpoint off, and its deliveries wait to be tried again', async () => {
    endpoint.receiver.behave(answer(410));
    await deliver(guild, endpoint);
    const waiting = await inState(endpoint, 'retrying');
    const off = await eventually(async () => {
      const stored = await WebhookEndpoints.findOne(mine());
      return stored?.enabled === false ? stored : null;
    }, 'the end');
    expect(off).to.include({ disabledReason: 'gone' });
    await work(new Date(Number(waiting.nextAttemptAt) + 1));
    expect(received()).to.equal(1);
    const { body } = await guild.api.get(`${guild.path}/logs?limit=5`);
    expect(body.data[0]).to.deep.include({ action: 'webhook.disabled' });
    endpoint.receiver.behave(answer(200));
    await WebhookEndpoints.update(mine(), { $set: { enabled: true }, $unset: { disabledReason: 1 } });
    await work(new Date(Number(waiting.nextAttemptAt) + 1));
    expect((await onlyDelivery(endpoint)).state).to.equal('succeeded');
  });

  it('Five days without a success turn an endpoint off, and four do not', async () => {
    endpoint.receiver.behave(answer(500));
    const failedFor = async (days: number) => {
      const failingSince = new Date(Date.now() - days * dayMs);
      await WebhookEndpoints.update(mine(), { $set: { failingSince, lastFailureAt: new Date(Date.now() - hourMs) } });
      await store(0);
      await work();
      return WebhookEndpoints.findOne(mine());
    };
    expect(await failedFor(4.9)).to.include({ enabled: true });
    expect(await failedFor(5.1)).to.include({ enabled: false, disabledReason: 'failing' });
  });

  // HOOK-21
  it('Deliveries are kept while they are open, and for 30 days when they are over', async () => {
    const old = await store(31 * dayMs);
    const open = await store(31 * dayMs);
    const recent = await store(29 * dayMs);
    const over = { $set: { state: 'succeeded' as const }, $unset: { nextAttemptAt: 1 } };
    for (const _id of [old, recent]) await Deliveries.update({ guildId: guild.guildId, _id }, over);
    await purgeDeliveries(clock.now());
    const left = (await deliveriesOf(endpoint)).map(({ _id }) => _id);
    expect(left).to.have.members([open, recent]);
  });
});
