import { expect } from 'chai';
import mongoose from 'mongoose';
import { deliverWebhooks } from '../../../src/features/webhooks/delivery-job.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { newDelivery } from '../../../src/features/webhooks/delivery-store.js';
import { wake } from '../../../src/platforms/jobs/wake.js';
import { WAKE_UPS } from '../../../src/platforms/jobs/wake-up-store.js';
import { eventually, type TestGuild } from '../../support/build.js';
import { buildEvent, deliver, deliveriesOf, type TestEndpoint, useEndpoint } from './delivery-setup.js';
import { answer } from './receiver.js';

/** Retries due within so many milliseconds share a wake-up. */
const shared = 100;

interface Update {
  u: { $min?: { nextRunAt?: Date } };
}

/** The times for which wake-ups are asked from now on, in ms. */
function watchWakeUps(): { asked: number[]; stop(): void } {
  const client = mongoose.connection.getClient();
  const asked: number[] = [];
  const note = ({ command }: { command: { update?: string; updates?: Update[] } }) => {
    if (command.update !== WAKE_UPS) return;
    for (const { u } of command.updates ?? []) if (u.$min?.nextRunAt) asked.push(u.$min.nextRunAt.getTime());
  };
  client.on('commandStarted', note);
  return { asked, stop: () => client.off('commandStarted', note) };
}

const isWokenFor = (asked: readonly number[], at: Date | undefined): boolean =>
  asked.some((time) => at !== undefined && time >= at.getTime() && time < at.getTime() + shared);

describe('the retries of a webhook', () => {
  let guild: TestGuild;
  let endpoint: TestEndpoint;
  let wakeUps: ReturnType<typeof watchWakeUps>;
  useEndpoint((...built) => {
    [guild, endpoint] = built;
  });
  beforeEach(() => {
    wakeUps = watchWakeUps();
  });
  afterEach(() => wakeUps.stop());

  it('are each woken for at their own time, as soon as they are stored', async () => {
    endpoint.receiver.behave(answer(500));
    await deliver(guild, endpoint, 8);
    const retrying = await eventually(async () => {
      const all = await deliveriesOf(endpoint);
      return all.every(({ state, attemptCount }) => state === 'retrying' && attemptCount === 1) ? all : null;
    }, 'eight retries');
    await eventually(() => retrying.every(({ nextAttemptAt }) => isWokenFor(wakeUps.asked, nextAttemptAt)), 'wake-ups');
    for (const { attempts, nextAttemptAt } of retrying) {
      const [{ at, latencyMs = 0 } = { at: new Date(0) }] = attempts;
      expect(Number(nextAttemptAt) - at.getTime() - latencyMs).to.be.within(4_600, 5_400);
    }
  });

  it('are woken for one after the other: each run of the job stores what follows, of one endpoint too', async () => {
    // Those of other tests would be due before.
    await Deliveries.acrossGuilds.deleteMany({});
    const now = Date.now();
    const [first, second] = [new Date(now + 30_000), new Date(now + 60_000)];
    for (const nextAttemptAt of [first, second]) {
      const delivery = newDelivery(
        buildEvent(guild, 'verification.completed'),
        endpoint.webhookId,
        'event',
        new Date(),
      );
      await Deliveries.insert({ ...delivery, state: 'retrying', nextAttemptAt });
    }
    await wake(deliverWebhooks, {});
    await eventually(() => isWokenFor(wakeUps.asked, first), 'a wake-up for the first');
    expect(isWokenFor(wakeUps.asked, second)).to.equal(false);
    const { guildId } = guild;
    const { webhookId } = endpoint;
    await Deliveries.update({ guildId, webhookId, nextAttemptAt: first }, { $set: { nextAttemptAt: new Date() } });
    await wake(deliverWebhooks, {});
    await eventually(() => isWokenFor(wakeUps.asked, second), 'a wake-up for the second');
  });
});
