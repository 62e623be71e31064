import { expect } from 'chai';
import mongoose from 'mongoose';
import {
  claimDelivery,
  findDue,
  leaseMs,
  nextDuePipeline,
  releaseInterrupted,
  settleDelivery,
} from '../../../src/features/webhooks/delivery-claim.js';
import { wakeDeliveries } from '../../../src/features/webhooks/delivery-job.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { newDelivery, storeDeliveries } from '../../../src/features/webhooks/delivery-store.js';
import { WebhookEndpoints } from '../../../src/features/webhooks/endpoint-model.js';
import { clock } from '../../../src/lib/clock.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, type TestGuild } from '../../support/build.js';
import {
  buildEndpoint,
  buildEvent,
  buildWorker,
  deliver,
  deliveriesOf,
  inState,
  onlyDelivery,
  type TestEndpoint,
  useEndpoint,
} from './delivery-setup.js';
import { answer, hang } from './receiver.js';

const minuteMs = 60_000;
const hourMs = 60 * minuteMs;

let guild: TestGuild;
let endpoint: TestEndpoint;

/** Makes the next attempt due now, and has the service see it. */
const hurry = async () => {
  const { guildId, webhookId } = await onlyDelivery(endpoint);
  await Deliveries.update({ guildId, webhookId }, { $set: { nextAttemptAt: new Date() } });
};

/** Registers hooks: each test gets a guild and an endpoint. */
function useWorker(): void {
  withPromptSyncs();

  useEndpoint((...built) => {
    [guild, endpoint] = built;
  });
}

describe('The delivery worker', () => {
  useWorker();

  // HOOK-1
  it('The delivery worker delivers an event once, as its bytes were stored, under its own id', async () => {
    const [event] = await deliver(guild, endpoint);
    const delivery = await inState(endpoint, 'succeeded');
    expect(endpoint.receiver.received).to.have.length(1);
    const [{ body, headers } = { body: Buffer.of(), headers: {} }] = endpoint.receiver.received;
    expect(body.toString()).to.equal(delivery.body);
    expect(JSON.parse(delivery.body)).to.deep.equal({
      id: event?.id,
      event: 'verification.completed',
      createdAt: event?.createdAt.toISOString(),
      guildId: guild.guildId,
      data: event?.data,
    });
    expect(headers).to.include({
      'content-type': 'application/json',
      'x-link-event': 'verification.completed',
      'x-link-delivery': delivery._id,
      'webhook-id': event?.id,
      'user-agent': 'Rolelink-Webhooks/1',
    });
    expect(delivery).to.include({ attemptCount: 1, eventId: event?.id });
    expect(delivery).not.to.have.any.keys('nextAttemptAt', 'lease', 'failureReason');
    expect(delivery.completedAt).to.be.instanceOf(Date);
    const [attempt] = delivery.attempts;
    expect(attempt).to.include({ n: 1, outcome: 'succeeded', status: 204, responseBody: '' });
    // It is noted after the delivery is.
    const its = { guildId: guild.guildId, _id: endpoint.webhookId };
    const lastSuccessAt = await eventually(async () => (await WebhookEndpoints.findOne(its))?.lastSuccessAt);
    expect(lastSuccessAt).to.deep.equal(delivery.completedAt);
  });

  // HOOK-12
  it('The delivery worker stores the number of an attempt before the request goes out', async () => {
    const during: unknown[] = [];
    endpoint.receiver.behave(async (response) => {
      const { attemptCount, attempts, lease, nextAttemptAt, firstAttemptAt } = await onlyDelivery(endpoint);
      during.push({ attemptCount, attempts, isLeased: lease !== undefined });
      expect(nextAttemptAt?.getTime()).to.equal(Number(firstAttemptAt?.getTime()) + leaseMs);
      response.end();
    });
    await deliver(guild, endpoint);
    await inState(endpoint, 'succeeded');
    expect(during).to.deep.equal([{ attemptCount: 1, attempts: [], isLeased: true }]);
  });

  it('The delivery worker makes two writes a delivery', async () => {
    const operations: string[] = [];
    const { guildId } = guild;
    mongoose.set('debug', (collection: string, method: string, filter: { guildId?: string }) => {
      if (collection === 'deliveries' && filter.guildId === guildId) operations.push(method);
    });
    // A lane's data is valid for a second.
    clock.freeze(new Date());
    try {
      await deliver(guild, endpoint, 50);
      const isOver = () => endpoint.receiver.received.length === 50 && endpoint.receiver.sockets().open === 0;
      await eventually(isOver, 'the end');
    } finally {
      mongoose.set('debug', false);
    }
    const count = (method: string) => operations.filter((name) => name === method).length;
    expect(count('updateOne')).to.equal(100);
    // One read finds many deliveries.
    expect(count('find')).to.be.at.most(12);
    expect(new Set(operations)).to.have.keys('find', 'updateOne');
    expect(await deliveriesOf(endpoint)).to.satisfy((all: { state: string }[]) =>
      all.every(({ state }) => state === 'succeeded'),
    );
  });

  it('The delivery worker stores an event’s delivery to an endpoint once, even when it is relayed repeatedly', async () => {
    const events = Array.from({ length: 5 }, () => buildEvent(guild));
    await storeDeliveries(events.slice(0, 3), async () => [endpoint.endpoint]);
    await eventually(async () => (await deliveriesOf(endpoint)).every(({ state }) => state === 'succeeded'), 'three');
    const before = await deliveriesOf(endpoint);
    await Promise.all([
      storeDeliveries(events, async () => [endpoint.endpoint]),
      storeDeliveries(events, async () => [endpoint.endpoint]),
    ]);
    await eventually(() => endpoint.receiver.received.length === 5, 'five');
    const after = await eventually(async () => {
      const all = await deliveriesOf(endpoint);
      return all.every(({ state }) => state === 'succeeded') ? all : null;
    }, 'the end');
    expect(after).to.have.length(5);
    expect(after).to.deep.include.members(before);
    expect(endpoint.receiver.received).to.have.length(5);
  });
});

describe('Retries of the delivery worker', () => {
  useWorker();

  // HOOK-11
  it('The delivery worker tries again with the same id and bytes, after the schedule’s time', async () => {
    endpoint.receiver.behave(answer(503, { 'retry-after': '9' }, 'busy'));
    clock.freeze(new Date());
    await deliver(guild, endpoint);
    const waiting = await inState(endpoint, 'retrying');
    const [first] = waiting.attempts;
    expect(first).to.include({ n: 1, outcome: 'http_error', status: 503, responseBody: 'busy' });
    expect(Number(waiting.nextAttemptAt) - Number(first?.at)).to.equal(9_000);
    clock.restore();
    endpoint.receiver.behave(answer(200));
    await hurry();
    const delivered = await inState(endpoint, 'succeeded');
    expect(delivered.attempts.map(({ n, status }) => [n, status])).to.deep.equal([
      [1, 503],
      [2, 200],
    ]);
    const [one, two] = endpoint.receiver.received;
    expect(two?.body).to.deep.equal(one?.body);
    expect(two?.headers['x-link-delivery']).to.equal(one?.headers['x-link-delivery']);
    expect(two?.headers['webhook-id']).to.equal(one?.headers['webhook-id']);
  });

  it('The delivery worker makes eleven attempts within 24 hours of its clock and then gives up', async () => {
    endpoint.receiver.behave(answer(500));
    const start = Date.now() + 1_000 * hourMs;
    let now = new Date(start);
    const event = buildEvent(guild);
    await Deliveries.insert(newDelivery(event, endpoint.webhookId, 'event', now));
    const begun: number[] = [];
    for (let turn = 0; turn < 20; turn += 1) {
      const worker = buildWorker({ now: () => now });
      worker.wake(endpoint.webhookId);
      await worker.idle();
      const { nextAttemptAt, attempts } = await onlyDelivery(endpoint);
      expect(attempts).to.have.length(turn + 1);
      begun.push(now.getTime() - start);
      if (nextAttemptAt === undefined) break;
      now = nextAttemptAt;
    }
    expect(begun).to.have.length(11);
    for (const [index, at] of begun.slice(1, 10).entries()) {
      expect(at - (begun[index] ?? 0)).to.be.closeTo(5_000 * 3 ** index, 501 * 3 ** index);
    }
    expect(begun.at(-1)).to.equal(24 * hourMs);
    const over = await onlyDelivery(endpoint);
    expect(over).to.include({ state: 'failed', failureReason: 'attempts_exhausted', attemptCount: 11 });
    expect(endpoint.receiver.received).to.have.length(11);
    expect(new Set(endpoint.receiver.received.map(({ body }) => body.toString())).size).to.equal(1);
  });

  it('The delivery worker makes no last attempt when the 24 hours passed without a worker', async () => {
    const now = new Date(Date.now() + 2_000 * hourMs);
    const firstAttemptAt = new Date(now.getTime() - 24 * hourMs - 11 * minuteMs);
    const delivery = newDelivery(buildEvent(guild), endpoint.webhookId, 'event', now);
    const nextAttemptAt = new Date(now.getTime() - 11 * minuteMs);
    await Deliveries.insert({ ...delivery, state: 'retrying', attemptCount: 10, firstAttemptAt, nextAttemptAt });
    const worker = buildWorker({ now: () => now });
    worker.wake(endpoint.webhookId);
    await worker.idle();
    expect(await onlyDelivery(endpoint)).to.include({ state: 'failed', failureReason: 'attempts_exhausted' });
    expect(endpoint.receiver.received).to.deep.equal([]);
  });

  // HOOK-11
  it('The delivery worker repeats deliveries that a killed process left when their lease is over, or at boot', async () => {
    const since = new Date(Date.now() - leaseMs - 1_000);
    const delivery = newDelivery(buildEvent(guild), endpoint.webhookId, 'event', since);
    const left = { ...delivery, attemptCount: 1, firstAttemptAt: since, lease: { since } };
    await Deliveries.insert({ ...left, nextAttemptAt: new Date(Date.now() + 20_000) });
    await releaseInterrupted();
    wakeDeliveries([endpoint.webhookId]);
    const delivered = await inState(endpoint, 'succeeded');
    expect(delivered.attempts.map(({ n, outcome }) => [n, outcome])).to.deep.equal([
      [1, 'interrupted'],
      [2, 'succeeded'],
    ]);
    expect(delivered.attempts[0]?.at).to.deep.equal(since);
  });

  it('A delivery worker that lost a delivery does not write over the one that has it now', async () => {
    const now = new Date(Date.now() + 3_000 * hourMs);
    await Deliveries.insert(newDelivery(buildEvent(guild), endpoint.webhookId, 'event', now));
    const dueAt = (time: Date) => findDue({ guildId: guild.guildId, webhookId: endpoint.webhookId }, time, 10);
    const [due] = await dueAt(now);
    if (due === undefined) throw new Error('not due');
    const slow = await claimDelivery(due, now);
    expect(await claimDelivery(due, now)).to.equal(null);
    expect(await dueAt(now)).to.deep.equal([]);
    const later = new Date(now.getTime() + leaseMs);
    const [dueAgain] = await dueAt(later);
    const quick = dueAgain ? await claimDelivery(dueAgain, later) : null;
    if (slow === null || quick === null) throw new Error('not claimed');
    expect([slow.attemptCount, quick.attemptCount]).to.deep.equal([1, 2]);
    const attempt = { n: 1, at: now, outcome: 'http_error' as const, latencyMs: 1 };
    await settleDelivery(slow, attempt, { state: 'failed', failureReason: 'attempts_exhausted' }, later);
    expect(await onlyDelivery(endpoint)).to.deep.include({ state: 'pending', attempts: [] });
    await settleDelivery(quick, { ...attempt, n: 2, outcome: 'succeeded' }, { state: 'succeeded' }, later);
    const settled = await onlyDelivery(endpoint);
    expect(settled).to.include({ state: 'succeeded' });
    expect(settled.attempts.map(({ n, outcome }) => [n, outcome])).to.deep.equal([
      [1, 'interrupted'],
      [2, 'succeeded'],
    ]);
  });
});

describe('Many deliveries of the worker', () => {
  useWorker();

  it('The delivery worker makes four concurrent attempts to an endpoint, and one while it keeps failing', async () => {
    const open: (() => void)[] = [];
    endpoint.receiver.behave((response) => void open.push(() => response.end()));
    await deliver(guild, endpoint, 8);
    await eventually(() => open.length === 4, 'four requests');
    expect(endpoint.receiver.received).to.have.length(4);
    for (const answerNow of open.splice(0)) answerNow();
    await eventually(() => open.length === 4, 'the others');
    for (const answerNow of open.splice(0)) answerNow();
    await eventually(async () => (await deliveriesOf(endpoint)).every(({ state }) => state === 'succeeded'), 'the end');

    const mine = { guildId: guild.guildId, _id: endpoint.webhookId };
    await WebhookEndpoints.update(mine, { $set: { failingSince: new Date(), lastFailureAt: new Date() } });
    await eventually(() => endpoint.receiver.sockets().open === 0, 'the end of the lane');
    await deliver(guild, endpoint, 8);
    await eventually(() => open.length === 1, 'one request');
    expect(endpoint.receiver.received).to.have.length(9);
    // It is there again: the rest goes out four at a time.
    open.splice(0)[0]?.();
    await eventually(() => open.length === 4, 'four requests');
    endpoint.receiver.behave(answer(200));
    for (const answerNow of open.splice(0)) answerNow();
    await eventually(async () => (await deliveriesOf(endpoint)).every(({ state }) => state === 'succeeded'), 'the end');
  });

  it('The delivery worker delays no endpoint by another that hangs, nor by a long backlog', async () => {
    const others = await Promise.all([buildEndpoint(guild), buildEndpoint(guild)]);
    const [hanging, quick] = others as [TestEndpoint, TestEndpoint];
    hanging.receiver.behave(hang);
    await deliver(guild, hanging, 50);
    await eventually(() => hanging.receiver.received.length === 4, 'hanging requests');
    let meanwhile = 0;
    quick.receiver.behave((response) => {
      meanwhile = endpoint.receiver.received.length;
      response.end();
    });
    await deliver(guild, endpoint, 2_000);
    await deliver(guild, quick, 20);
    await eventually(() => quick.receiver.received.length === 20, 'the quick ones');
    expect(meanwhile).to.be.below(2_000);
    // Four together, then the ones that follow singly after these have failed at ten seconds.
    expect(hanging.receiver.received.length).to.be.within(4, 8);
    await WebhookEndpoints.remove({ guildId: guild.guildId, _id: hanging.webhookId });
    await WebhookEndpoints.remove({ guildId: guild.guildId, _id: endpoint.webhookId });
    await Promise.all(others.map(({ receiver }) => receiver.close()));
  });

  it('The delivery worker keeps the places of endpoints that answer from those that fail', async () => {
    const now = new Date(Date.now() + 5_000 * hourMs);
    const quick = await buildEndpoint(guild);
    for (const { webhookId } of [endpoint, quick]) {
      const some = Array.from({ length: 3 }, () => newDelivery(buildEvent(guild), webhookId, 'event', now));
      await Deliveries.acrossGuilds.insertMany(some, { lean: true });
    }
    const mine = { guildId: guild.guildId, _id: endpoint.webhookId };
    await WebhookEndpoints.update(mine, { $set: { failingSince: new Date(), lastFailureAt: new Date() } });
    endpoint.receiver.behave(hang);
    const worker = buildWorker({ now: () => now, places: 1 });
    worker.wake(endpoint.webhookId);
    await eventually(() => endpoint.receiver.received.length === 1, 'the hanging request');
    worker.wake(quick.webhookId);
    await eventually(() => quick.receiver.received.length === 3, 'the others');
    expect(endpoint.receiver.received).to.have.length(1);
    await worker.stop(0);
    const [broken] = (await deliveriesOf(endpoint)).filter(({ attemptCount }) => attemptCount === 1);
    // The next process repeats it immediately.
    expect(broken).to.deep.include({ state: 'retrying', nextAttemptAt: now });
    expect(broken?.attempts[0]).to.include({ outcome: 'interrupted' });
    expect(await WebhookEndpoints.findOne(mine)).to.have.property('failingSince');
    await quick.receiver.close();
  });

  it('The delivery worker finds its work by the index, for any backlog', async () => {
    const now = new Date(Date.now() + 4_000 * hourMs);
    const backlog = Array.from({ length: 5_000 }, () =>
      newDelivery(buildEvent(guild), endpoint.webhookId, 'event', now),
    );
    await Deliveries.acrossGuilds.insertMany(backlog, { lean: true });
    const plan = await Deliveries.acrossGuilds
      .find({ guildId: guild.guildId, webhookId: endpoint.webhookId, nextAttemptAt: mongoose.trusted({ $lte: now }) })
      .sort({ nextAttemptAt: 1 })
      .limit(1)
      .hint('open_by_endpoint')
      .explain('executionStats');
    expect(JSON.stringify(plan)).to.match(/"totalKeysExamined":1\b/);
    const scan = await Deliveries.acrossGuilds
      .aggregate(nextDuePipeline)
      .hint('open_by_endpoint')
      .explain('executionStats');
    const text = JSON.stringify(scan);
    expect(text).to.contain('DISTINCT_SCAN');
    const examined = [...text.matchAll(/"totalKeysExamined":(\d+)/g)].map(([, keys]) => Number(keys));
    expect(Math.max(...examined)).to.be.below(1_000);
    await Deliveries.acrossGuilds.deleteMany({ webhookId: endpoint.webhookId });
  });
});
