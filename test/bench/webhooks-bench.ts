import { createHmac } from 'node:crypto';
import { mkdtemp } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import mongoose from 'mongoose';
import { Agent, request } from 'undici';
import { leaseMs } from '../../src/features/webhooks/delivery-claim.js';
import { Deliveries, type Delivery } from '../../src/features/webhooks/delivery-model.js';
import { newDelivery } from '../../src/features/webhooks/delivery-store.js';
import { DeliveryWorker } from '../../src/features/webhooks/delivery-worker.js';
import type { WebhookEndpoint } from '../../src/features/webhooks/endpoint-model.js';
import { targetDispatcher } from '../../src/features/webhooks/target-guard.js';
import { logger } from '../../src/lib/logger.js';
import { connectDatabase } from '../../src/platforms/database/connect.js';
import { newEvent } from '../../src/platforms/events/outbox.js';
import { killDeliveries } from '../features/webhooks/delivery-kills.js';
import { buildStage, configureDelivery, stageGuildId } from '../features/webhooks/delivery-stage.js';
import { removeFolder } from '../support/remove-folder.js';
import { type Figure, passes, percentile, table } from './figures.js';
import { RemoteProcess } from './remote-process.js';
import type { receiverVerbs } from './webhooks-receiver.js';

/** How many endpoints; there are four times as many concurrent requests. */
const endpointCount = 16;
const atOnce = endpointCount * 4;
/** A delivery's maximum duration, in multiples of a bare one: at least 0.6 times as many a second. */
const mostTimes = 1.66;

/**
 * `webhooks [--deliveries N] [--rounds R] [--kills K]`: measures deliveries a second against the bare work, and kills a
 * delivering process K times; 0 rounds or kills leave that part out. Gives whether every figure is in its bound.
 */
export async function benchWebhooks(args: string[]): Promise<boolean> {
  const option = { type: 'string' } as const;
  const { values } = parseArgs({ args, options: { deliveries: option, rounds: option, kills: option } });
  const deliveries = Number(values.deliveries ?? '10000');
  const rounds = Number(values.rounds ?? '5');
  const kills = Number(values.kills ?? '200');
  logger.level = 'silent';
  const figures: Figure[] = [];
  if (rounds > 0) figures.push(await speedFigure(deliveries, rounds));
  if (kills > 0) figures.push(...(await killFigures(deliveries, kills)));
  say(`\n${table(figures)}`);
  return figures.every(passes);
}

interface Stage {
  endpoints: WebhookEndpoint[];
  receiver: RemoteProcess<typeof receiverVerbs>;
}

async function speedFigure(count: number, rounds: number): Promise<Figure> {
  const dataDir = await mkdtemp(join(tmpdir(), 'rolelink-bench-'));
  configureDelivery(dataDir);
  const database = await connectDatabase({ uri: '', dataDir });
  const receiver = new RemoteProcess<typeof receiverVerbs>(new URL('./webhooks-receiver.js', import.meta.url));
  try {
    const origin = await receiver.ask('listen', null);
    const stage = {
      receiver,
      endpoints: await buildStage(Array.from({ length: endpointCount }, (_, n) => `${origin}/${n}`)),
    };
    say(
      `${rounds} rounds of ${count} deliveries to ${endpointCount} endpoints, the database and the receiver in a process each:`,
    );
    const [bare, service]: [number[], number[]] = [[], []];
    // Each one's first round warms up.
    for (let round = 0; round <= rounds; round += 1) {
      const times = [await timed(stage, count, deliverBare), await timed(stage, count, deliverByWorker)] as const;
      say(
        `bare ${Math.round(count / times[0])}/s, service ${Math.round(count / times[1])}/s${round === 0 ? ' (warm-up)' : ''}`,
      );
      if (round === 0) continue;
      bare.push(times[0]);
      service.push(times[1]);
    }
    const microseconds = (seconds: number[]) => Math.round((percentile(seconds, 0.5) / count) * 1e6);
    const measures = { measured: microseconds(service), reference: microseconds(bare), unit: 'µs' };
    return { name: 'time of a delivery, service / bare', ...measures, atMost: mostTimes };
  } finally {
    await receiver.kill();
    await database.close();
    await removeFolder(dataDir);
  }
}

/** Seconds for this many stored deliveries. */
async function timed(
  stage: Stage,
  count: number,
  deliver: (stage: Stage, deliveries: Delivery[]) => Promise<void>,
): Promise<number> {
  await Deliveries.acrossGuilds.deleteMany({});
  const now = new Date();
  const deliveries = Array.from({ length: count }, (_, index) => {
    const data = { reason: `Reason ${index}`, suspendedAt: now.toISOString() };
    const webhookId = stage.endpoints[index % endpointCount]?._id ?? '';
    return newDelivery(newEvent('guild.suspended', stageGuildId, data), webhookId, 'event', now);
  });
  await Deliveries.acrossGuilds.insertMany(deliveries, { lean: true });
  const startedAt = performance.now();
  await deliver(stage, deliveries);
  const seconds = (performance.now() - startedAt) / 1000;
  const [received, succeeded] = [
    await stage.receiver.ask('take', null),
    await Deliveries.acrossGuilds.countDocuments({ state: 'succeeded' }),
  ];
  if (received !== count || succeeded !== count)
    throw new Error(`${received} received, ${succeeded} stored of ${count}`);
  return seconds;
}

async function deliverByWorker({ endpoints }: Stage): Promise<void> {
  const connect = (connections: number) => targetDispatcher({ agent: { connections } });
  const worker = new DeliveryWorker({ connect, now: () => new Date() });
  for (const { _id } of endpoints) worker.wake(_id);
  await worker.idle();
}

/** The least work: the same two writes, one HMAC, one request, without lookups, guards or decisions. */
async function deliverBare({ endpoints }: Stage, deliveries: Delivery[]): Promise<void> {
  const stored = mongoose.connection.collection<Delivery>('deliveries');
  const urls = new Map(endpoints.map(({ _id, url }) => [_id, url]));
  const dispatcher = new Agent();
  const waiting = deliveries.values();
  const work = async () => {
    for (const { _id, guildId, webhookId, body, nextAttemptAt = new Date() } of waiting) {
      const at = new Date();
      await stored.updateOne(
        { _id, guildId, attemptCount: 0, nextAttemptAt },
        {
          $inc: { attemptCount: 1 },
          $min: { firstAttemptAt: at },
          $set: { lease: { since: at }, nextAttemptAt: new Date(at.getTime() + leaseMs) },
        },
      );
      const signature = createHmac('sha256', 'whsec_secret').update(body).digest('hex');
      const headers = { 'content-type': 'application/json', 'x-link-signature': `v1=${signature}` };
      const answer = await request(urls.get(webhookId) ?? '', { method: 'POST', headers, body, dispatcher });
      const got = { status: answer.statusCode, responseBody: await answer.body.text() };
      const attempt = { n: 1, at, outcome: 'succeeded' as const, latencyMs: 1, ...got };
      await stored.updateOne(
        { _id, guildId, attemptCount: 1 },
        {
          $push: { attempts: { $each: [attempt], $slice: -50 } },
          $set: { state: 'succeeded', completedAt: new Date() },
          $unset: { lease: 1, nextAttemptAt: 1, once: 1 },
        },
      );
    }
  };
  await Promise.all(Array.from({ length: atOnce }, work));
  await dispatcher.close();
}

async function killFigures(deliveries: number, wished: number): Promise<Figure[]> {
  const { kills, delivered, lost, repeated, unexplained, altered } = await killDeliveries(deliveries, wished);
  say(`${kills} kills during ${deliveries} deliveries: ${repeated} received more than once`);
  const exactly = (name: string, measured: number, reference: number): Figure => ({
    name,
    measured,
    reference,
    atMost: 1,
    exact: true,
    unit: '',
  });
  return [
    exactly('kills', kills, wished),
    exactly('deliveries stored as made', delivered, deliveries),
    exactly('deliveries lost', lost, 0),
    exactly('repeated, but not under way at a kill', unexplained, 0),
    exactly('repeated with another id or body', altered, 0),
  ];
}

function say(line: string): void {
  process.stdout.write(`${line}\n`);
}
