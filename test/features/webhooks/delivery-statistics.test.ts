import { expect } from 'chai';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { newDelivery } from '../../../src/features/webhooks/delivery-store.js';
import { clock } from '../../../src/lib/clock.js';
import { newEvent } from '../../../src/platforms/events/outbox.js';
import { buildGuild } from '../../support/build.js';

const hourMs = 3_600_000;

// HOOK-9
describe('Delivery statistics', () => {
  it('The statistics of a webhook count its deliveries of 24 hours by hour and outcome', async () => {
    const guild = await buildGuild();
    const draft = { url: 'https://example.com/hook', events: ['guild.suspended'] };
    const { webhookId } = (await guild.api.post(`${guild.path}/webhooks`, draft)).body;
    // No hour begins in between.
    clock.freeze(clock.now());
    const thisHour = Math.floor(clock.epochMs() / hourMs) * hourMs;
    const made = (hoursAgo: number, state: 'succeeded' | 'failed' | 'retrying', intoMs = 0) => {
      const at = new Date(thisHour - hoursAgo * hourMs + intoMs);
      const event = newEvent('guild.suspended', guild.guildId, { reason: 'Spam', suspendedAt: at.toISOString() });
      const { nextAttemptAt: _, ...delivery } = newDelivery(event, webhookId, 'event', at);
      return { ...delivery, state };
    };
    await Deliveries.insertAll([
      made(0, 'succeeded'),
      made(1, 'failed', hourMs - 1_000),
      made(1, 'succeeded'),
      made(23, 'retrying'),
      made(24, 'failed', hourMs - 1_000),
    ]);
    const { status, body } = await guild.api.get(`${guild.path}/webhooks/${webhookId}/statistics`);
    expect(status).to.equal(200);
    expect(body.total).to.deep.equal({ succeeded: 2, failed: 1, open: 1 });
    expect(body.series.at(-1)).to.deep.equal({
      at: new Date(thisHour).toISOString(),
      succeeded: 1,
      failed: 0,
      open: 0,
    });
    expect(body.series.at(-2)).to.include({ succeeded: 1, failed: 1, open: 0 });
    expect(body.series[0]).to.include({ succeeded: 0, failed: 0, open: 1 });
    const second = (await guild.api.post(`${guild.path}/webhooks`, draft)).body.webhookId;
    const all = await guild.api.get(`${guild.path}/webhooks/statistics`);
    expect(all.status).to.equal(200);
    const none = { succeeded: 0, failed: 0, open: 0 };
    const empty = body.series.map(({ at }: { at: string }) => ({ at, ...none }));
    // Two made within a second have a random order.
    expect(all.body.data).to.have.deep.members([
      { webhookId, ...body },
      { webhookId: second, total: none, series: empty },
    ]);
    await Deliveries.acrossGuilds.deleteMany({ webhookId });
  });

  it('The statistics of another guild’s webhook are a 404', async () => {
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const draft = { url: 'https://example.com/hook', events: ['role.synced'] };
    const { webhookId } = (await other.api.post(`${other.path}/webhooks`, draft)).body;
    const answer = await guild.api.get(`${guild.path}/webhooks/${webhookId}/statistics`);
    expect([answer.status, answer.body.code]).to.deep.equal([404, 'webhook_not_found']);
    expect((await guild.api.get(`${guild.path}/webhooks/statistics`)).body).to.deep.equal({ data: [] });
  });
});
