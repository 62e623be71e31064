import { expect } from 'chai';
import { deliverWebhooks } from '../../../src/features/webhooks/delivery-job.js';
import { Deliveries, type Delivery } from '../../../src/features/webhooks/delivery-model.js';
import { newDelivery } from '../../../src/features/webhooks/delivery-store.js';
import { plannedRuns } from '../../../src/platforms/jobs/runs.js';
import { poke } from '../../../src/platforms/jobs/standing.js';
import { eventually, type TestGuild } from '../../support/build.js';
import { buildEvent, deliver, deliveriesOf, type TestEndpoint, useEndpoint } from './delivery-setup.js';
import { answer, hang } from './receiver.js';

/** Retries due within this many milliseconds share a run. */
const shared = 100;

/** Resolves when a run is planned that sends the retry due at this time, or plans the next one. */
const plannedFor = (dueAt: Date): Promise<unknown> =>
  eventually(() => {
    const at =
      plannedRuns()
        .find(({ name }) => name === deliverWebhooks.name)
        ?.at.getTime() ?? Number.POSITIVE_INFINITY;
    return at < dueAt.getTime() + shared;
  }, 'the plan for the retry');

// HOOK-14, HOOK-15, HOOK-16
describe('The retries of a webhook', () => {
  let guild: TestGuild;
  let endpoint: TestEndpoint;
  useEndpoint((...built) => {
    [guild, endpoint] = built;
  });
  // A retry that another test left is due before, and its run would be the one that is planned.
  beforeEach(() => Deliveries.acrossGuilds.deleteMany({}));

  it('A webhook retry is woken for as soon as it is stored, while other attempts are still under way', async () => {
    let requests = 0;
    endpoint.receiver.behave((response, received) => {
      requests += 1;
      return requests === 1 ? answer(500)(response, received) : hang(response, received);
    });
    await deliver(guild, endpoint, 2);
    const isRetry = ({ state }: Delivery) => state === 'retrying';
    await eventually(async () => (await deliveriesOf(endpoint)).some(isRetry), 'the retry');
    const [retry] = (await deliveriesOf(endpoint)).filter(isRetry);
    await plannedFor(retry?.nextAttemptAt ?? new Date(0));
    expect((await deliveriesOf(endpoint)).filter(({ lease }) => lease !== undefined)).to.have.length(1);
  });

  it('Webhook retries are woken for one after the other, those of one endpoint too', async () => {
    const now = Date.now();
    const dueAt = [new Date(now + 1_000), new Date(now + 60_000)] as const;
    for (const nextAttemptAt of dueAt) {
      const event = buildEvent(guild, 'verification.completed');
      const delivery = newDelivery(event, endpoint.webhookId, 'event', new Date());
      await Deliveries.insert({ ...delivery, state: 'retrying', nextAttemptAt });
    }
    poke(deliverWebhooks);
    const states = async () => (await deliveriesOf(endpoint)).map(({ state }) => state).sort();
    await eventually(async () => (await states()).includes('succeeded'), 'the delivery that is due first');
    await plannedFor(dueAt[1]);
    expect(await states()).to.deep.equal(['retrying', 'succeeded']);
  });
});
