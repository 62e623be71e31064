import { randomUUID } from 'node:crypto';
import { expect } from 'chai';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { clock } from '../../../src/lib/clock.js';
import { newId } from '../../../src/lib/ids.js';
import { eventually, type TestGuild } from '../../support/build.js';
import { deliver, deliveriesOf, inState, type TestEndpoint, useEndpoint } from './delivery-setup.js';
import { answer } from './receiver.js';

const minuteMs = 60_000;

// HOOK-30, HOOK-31, HOOK-32
describe('A replay of deliveries', () => {
  let guild: TestGuild;
  let endpoint: TestEndpoint;
  let path: string;
  useEndpoint((...built) => {
    [guild, endpoint] = built;
    path = `${guild.path}/webhooks/${endpoint.webhookId}`;
  });

  afterEach(() => clock.restore());

  const window = { since: new Date(Date.now() - 60 * minuteMs).toISOString(), until: '2090-01-01T00:00:00Z' };
  const query = `since=${window.since}&until=${window.until}`;
  const count = async (more = '') => (await guild.api.get(`${path}/deliveries/count?${query}${more}`)).body.count;

  /** Three delivered ones and one that failed. */
  async function delivered(): Promise<void> {
    await deliver(guild, endpoint, 4);
    await eventually(
      async () => (await deliveriesOf(endpoint)).every(({ state }) => state === 'succeeded'),
      'the deliveries',
    );
    const [first] = await deliveriesOf(endpoint);
    const change = { $set: { state: 'failed' as const, failureReason: 'attempts_exhausted' as const } };
    await Deliveries.update({ _id: first?._id ?? '', guildId: guild.guildId }, change);
  }

  it('A replay repeats the deliveries of a time range, delivered ones too, and logs their number', async () => {
    await delivered();
    expect(await count()).to.equal(4);
    const { status, body } = await guild.api.post(`${path}/replay`, { ...window, count: 4 });
    expect([status, body]).to.deep.equal([202, { count: 4 }]);
    await eventually(() => endpoint.receiver.received.length === 8, 'four more');
    const bodies = endpoint.receiver.received.map((request) => String(request.body));
    expect(new Set(bodies).size).to.equal(4);
    const { body: log } = await guild.api.get(`${guild.path}/logs?action=delivery.redelivered`);
    expect(log.data[0].changes).to.deep.include({ redelivered: { from: null, to: 4 } });
  });

  it('A replay takes only a state or event that is asked for', async () => {
    await delivered();
    expect([await count('&state=failed'), await count('&state=succeeded')]).to.deep.equal([1, 3]);
    expect([await count('&event=role.synced'), await count('&event=verification.completed')]).to.deep.equal([0, 4]);
    const { body } = await guild.api.post(`${path}/replay`, { ...window, state: 'failed', count: 1 });
    expect(body).to.deep.equal({ count: 1 });
    await eventually(() => endpoint.receiver.received.length === 5, 'one more');
  });

  it('A replay of another number than was shown makes nothing', async () => {
    await delivered();
    const { status, body } = await guild.api.post(`${path}/replay`, { ...window, count: 3 });
    expect([status, body.code]).to.deep.equal([409, 'count_changed']);
    expect(body.detail).to.contain('There are 4 deliveries');
    expect(endpoint.receiver.received).to.have.length(4);
  });

  it('The second of two replays at once makes nothing, since the first has changed the number', async () => {
    await delivered();
    const answers = await Promise.all([1, 2].map(() => guild.api.post(`${path}/replay`, { ...window, count: 4 })));
    expect(answers.map(({ status, body }) => body.code ?? status).sort()).to.deep.equal([202, 'count_changed']);
    const { body: log } = await guild.api.get(`${guild.path}/logs?action=delivery.redelivered`);
    expect(log.data).to.have.length(1);
  });

  it('A replay leaves out deliveries that are under way, and those about an erased person', async () => {
    await delivered();
    const [first, second] = await deliveriesOf(endpoint);
    const { guildId } = guild;
    await Deliveries.update({ _id: first?._id ?? '', guildId }, { $set: { state: 'retrying' } });
    await Deliveries.update({ _id: second?._id ?? '', guildId }, { $set: { personErased: true } });
    expect(await count()).to.equal(2);
  });

  it('Deliveries are listed by the time at which they were stored', async () => {
    await delivered();
    const list = async (more: string) => (await guild.api.get(`${path}/deliveries?limit=3&${more}`)).body;
    const first = await list(query);
    expect(first.data).to.have.length(3);
    expect((await list(`${query}&cursor=${first.nextCursor}`)).data).to.have.length(1);
    expect((await list(`until=${window.since}`)).data).to.deep.equal([]);
    expect((await list('since=2089-01-01T00:00:00Z')).data).to.deep.equal([]);
  });

  it('Each attempt shows the headers that it was sent with, signatures included', async () => {
    endpoint.receiver.behave(answer(500));
    await deliver(guild, endpoint);
    const { _id } = await inState(endpoint, 'retrying');
    const { body } = await guild.api.get(`${guild.path}/deliveries/${_id}`);
    const shown = body.attempts[0].requestHeaders as { name: string; value: string }[];
    const [request] = endpoint.receiver.received;
    expect(shown).to.have.length(8);
    for (const { name, value } of shown) expect(request?.headers[name], name).to.equal(value);
    const { body: page } = await guild.api.get(`${path}/deliveries`);
    expect(page.data[0].lastAttempt).not.to.have.any.keys('requestHeaders', 'signatures');
  });

  // HOOK-33
  for (const way of ['replay', 'redeliver-failed']) {
    it(`A ${way} of many sends a thousand a minute, and is asked for six times an hour`, async () => {
      await delivered();
      const [first] = await deliveriesOf(endpoint);
      const copies = Array.from({ length: 1_001 }, () => ({
        ...first,
        ...{ _id: newId('dlv'), eventId: randomUUID(), completedAt: new Date() },
      }));
      await Deliveries.acrossGuilds.collection.deleteMany({ webhookId: endpoint.webhookId });
      await Deliveries.acrossGuilds.collection.insertMany(copies as never[]);
      clock.freeze(clock.now());
      const body = way === 'replay' ? { ...window, count: 1_001 } : { since: window.since };
      const { status, body: made } = await guild.api.post(`${path}/${way}`, body);
      expect([status, made]).to.deep.equal([202, { count: 1_001 }]);
      const later = { webhookId: endpoint.webhookId, nextAttemptAt: new Date(clock.epochMs() + minuteMs) };
      expect(await Deliveries.acrossGuilds.collection.countDocuments(later)).to.equal(1);
      const asked = await Promise.all(Array.from({ length: 6 }, () => guild.api.post(`${path}/${way}`, body)));
      expect(asked.filter((answer) => answer.status === 429)).to.have.length(1);
    });
  }
});
