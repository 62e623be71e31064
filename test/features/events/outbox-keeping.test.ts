import { expect } from 'chai';
import mongoose, { type Model } from 'mongoose';
import { purgeSessions } from '../../../src/core/auth/session-service.js';
import { purgeResyncs } from '../../../src/features/sync/resync/resync-job.js';
import { purgeTokens } from '../../../src/features/tokens/token-service.js';
import { purgeVerifications } from '../../../src/features/verification/verification-store.js';
import { purgeDeliveries } from '../../../src/features/webhooks/delivery-store.js';
import { endImpossible } from '../../../src/features/webhooks/delivery-target.js';
import { clock } from '../../../src/lib/clock.js';
import { newId } from '../../../src/lib/ids.js';
import { dayMs } from '../../../src/lib/time.js';
import { leftOutbox } from '../../../src/platforms/database/guild-model.js';

// Without a time, the service's relay does not find them and leaves them there.
const waiting = [{ id: 'evt_1' }];

const modelOf = (name: string): Model<{ _id: string }> => mongoose.model<{ _id: string }>(name);
const removable = ['Session', 'Teammate', 'LinkedGroup', 'Mapping', 'Member', 'WebhookEndpoint'];

describe('Documents with a filled outbox', () => {
  let serial = 0;
  const insert = async (model: Model<{ _id: string }>, fields: Record<string, unknown>): Promise<string> => {
    serial += 1;
    const _id = `kept_${serial}`;
    await model.collection.insertOne({ _id, ...fields, outbox: waiting } as never);
    return _id;
  };

  it('A document with a filled outbox stays through every purge until it is relayed', async () => {
    const now = clock.now();
    const longAgo = new Date(now.getTime() - 365 * dayMs);
    const over: Record<string, Record<string, unknown>> = {
      Session: { expiresAt: longAgo },
      BotToken: { expiresAt: longAgo },
      Verification: { expiresAt: longAgo, state: 'failed' },
      Plan: { finishedAt: longAgo, state: 'completed' },
      Delivery: { _id: newId('dlv', longAgo), webhookId: 'whk_over', eventId: 'evt_over' },
    };
    for (const [name, fields] of Object.entries(over)) await insert(modelOf(name), fields);
    const purge = async () => {
      for (const each of [purgeSessions, purgeTokens, purgeVerifications, purgeResyncs, purgeDeliveries])
        await each(now);
    };
    const left = async () => {
      const counts = Object.keys(over).map((name) => modelOf(name).collection.countDocuments({ outbox: waiting }));
      return Promise.all(counts);
    };
    await purge();
    expect(await left()).to.deep.equal([1, 1, 1, 1, 1]);
    for (const name of Object.keys(over)) {
      await modelOf(name).collection.updateMany({ outbox: waiting }, { $set: { outbox: [] } });
    }
    await purge();
    expect(await modelOf('Delivery').collection.countDocuments({ webhookId: 'whk_over' })).to.equal(0);
    for (const name of ['Session', 'BotToken', 'Verification', 'Plan']) {
      const old = { $or: [{ expiresAt: longAgo }, { finishedAt: longAgo }] };
      expect(await modelOf(name).collection.countDocuments(old), name).to.equal(0);
    }
  });

  it('A removed document that waits for the relay does not block a new one with the same key', async () => {
    for (const model of removable.map(modelOf)) {
      const unique = model.schema.indexes().filter(([, options]) => options.unique);
      const keys = unique.flatMap(([fields]) => Object.keys(fields)).filter((key) => key !== 'open');
      const fields = Object.fromEntries(keys.map((key) => [key, `same ${key}`]));
      for (let time = 1; time <= 3; time += 1) {
        const _id = await insert(model, fields);
        await model.collection.updateOne({ _id } as never, leftOutbox());
        const seen = await model.collection.countDocuments({ outbox: waiting, ...fields });
        expect(seen, model.modelName).to.equal(keys.length === 0 ? time : 0);
      }
      await model.collection.deleteMany({ outbox: waiting });
    }
  });

  it('Deliveries count an endpoint as removed while its document waits for the relay', async () => {
    const endpoints = modelOf('WebhookEndpoint');
    const _id = await insert(endpoints, { guildId: '1' });
    expect(await endImpossible(_id, clock.now())).to.equal('1');
    await endpoints.updateOne({ _id }, leftOutbox(), { updatePipeline: true });
    expect(await endImpossible(_id, clock.now())).to.equal(null);
    await endpoints.collection.deleteMany({ outbox: waiting });
  });
});
