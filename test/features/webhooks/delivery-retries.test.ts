import { expect } from 'chai';
import mongoose from 'mongoose';
import { deliverWebhooks } from '../../../src/features/webhooks/delivery-job.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { newDelivery } from '../../../src/features/webhooks/delivery-store.js';
import { wake } from '../../../src/platforms/jobs/wake.js';
import { WAKE_UPS } from '../../../src/platforms/jobs/wake-up-store.js';
import { eventually, type TestGuild } from '../../support/build.js';
import { buildEvent, deliver, deliveriesOf, type TestEndpoint, useEndpoint } from './delivery-setup.js';
import { answer, hang } from './receiver.js';

/** Retries due within this many milliseconds share a wake-up. */
const shared = 100;

interface Update {
  u: { $min?: { nextRunAt?: Date }; $set?: { state?: string; nextAttemptAt?: Date } };
}

/** The times, in ms, for which wake-ups are asked from now on, and the retries that are stored. */
function watchWakeUps(): { asked: number[]; retries: Date[]; stop(): void } {
  const client = mongoose.connection.getClient();
  const [asked, retries]: [number[], Date[]] = [[], []];
  const note = ({ command }: { command: { update?: string; updates?: Update[] } }) => {
    for (const { u } of command.updates ?? []) {
      if (command.update === WAKE_UPS && u.$min?.nextRunAt) asked.push(u.$min.nextRunAt.getTime());
      if (u.$set?.state === 'retrying' && u.$set.nextAttemptAt) retries.push(u.$set.nextAttemptAt);
    }
  };
  client.on('commandStarted', note);
  return { asked, retries, stop: () => client.off('commandStarted', note) };
}

const isWokenFor = (asked: readonly number[], at: Date | undefined): boolean =>
  asked.some((time) => at !== undefined && time >= at.getTime() && time < at.getTime() + shared);

// HOOK-14, HOOK-16
describe('The retries of a webhook', () => {
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

  it('A webhook retry is woken for as soon as it is stored, while other attempts are still under way', async () => {
    let requests = 0;
    endpoint.receiver.behave((response, received) => {
      requests += 1;
      return requests === 1 ? answer(500)(response, received) : hang(response, received);
    });
    await deliver(guild, endpoint, 2);
    await eventually(() => wakeUps.retries.some((at) => isWokenFor(wakeUps.asked, at)), 'a wake-up for the retry');
    expect((await deliveriesOf(endpoint)).filter(({ lease }) => lease !== undefined)).to.have.length(1);
  });

  it('Webhook retries are woken for one after the other, those of one endpoint too', async () => {
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
