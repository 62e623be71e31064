import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose from 'mongoose';
import type { Delivery } from '../../../src/features/webhooks/delivery-model.js';
import type { WithOutbox } from '../../../src/platforms/events/outbox.js';
import { eventually } from '../../support/build.js';
import { startChild } from '../../support/child-process.js';
import { world } from '../../support/world.js';

/** For each process. */
const kills = 3;
const dbName = 'relay_crash';
const guildId = '100000000000000001';
/**
 * The members that each of the two processes changes. They relay concurrently, but a member changed by both would not
 * count up.
 */
const changedBy = [
  ['200000000000000001', '200000000000000002'],
  ['200000000000000003', '200000000000000004'],
];
const people = changedBy.flat();

interface StoredMember extends WithOutbox {
  chatUserId: string;
  chatUsername: string;
  state: string;
}

// HOOK-11
describe('Events of a killed process', () => {
  const database = () => mongoose.connection.useDb(dbName, { useCache: true });
  const members = () => database().collection<StoredMember>('members');
  let environment: string;

  before(async () => {
    const { database: engine, environment: usual } = await world();
    environment = JSON.stringify({ ...usual, MONGODB_URI: engine.uri.replace('/?', `/${dbName}?`) });
    const common = { guildId, state: 'joined', present: true, autoLinkBlocked: false, names: [], syncs: [] };
    await members().insertMany(people.map((chatUserId) => ({ ...common, chatUserId, chatUsername: '0' })));
    await database()
      .collection<{ _id: string }>('guilds')
      .insertOne({ _id: guildId, ...{ plan: 'pro', state: 'active', present: true } });
    const events = ['verification.completed', 'member.unlinked'];
    await database()
      .collection<{ _id: string }>('webhook_endpoints')
      .insertOne({ _id: 'whk_000000000000000000000001', ...{ guildId, events, enabled: true, secrets: [] } });
  });
  after(() => database().dropDatabase());

  const facts = async (chatUserId: string): Promise<string[]> => {
    const deliveries = await database().collection<Delivery>('deliveries').find().toArray();
    const bodies = deliveries.map(({ body }) => JSON.parse(body));
    const about = bodies.filter(({ data }) => data.chatUserId === chatUserId);
    return about.map(({ event, data }) => `${event} ${data.gameUserId}`).sort();
  };

  it('Each event of a process that is killed is delivered exactly once', async () => {
    let waiting = 0;
    const runAndKill = async (chatUserIds: string[]) => {
      const child = startChild('features/events/relay-child.js', environment, chatUserIds.join());
      await child.report('started');
      const linksOf = async () =>
        (
          await members()
            .find({ chatUserId: { $in: chatUserIds } })
            .toArray()
        ).map((each) => Number(each.chatUsername));
      const before = await linksOf();
      await eventually(async () => (await linksOf()).every((links, n) => links > (before[n] ?? 0)), 'links of each');
      await delay(Math.random() * 250);
      await child.kill();
      waiting += await members().countDocuments({ chatUserId: { $in: chatUserIds }, 'outbox.0': { $exists: true } });
    };
    for (let times = 0; times < kills; times += 1) await Promise.all(changedBy.map(runAndKill));
    expect(waiting, 'none was killed between a write and its relay').to.be.greaterThan(0);
    await startChild('features/events/relay-child.js', environment).ended();

    for (const chatUserId of people) {
      const member = await members().findOne({ chatUserId });
      const links = Number(member?.chatUsername);
      expect(links).to.be.greaterThan(1);
      const accounts = Array.from({ length: links }, (_, n) => String(n + 1));
      const unlinked = member?.state === 'linked' ? accounts.slice(0, -1) : accounts;
      const happened = [
        ...accounts.map((gameUserId) => `verification.completed ${gameUserId}`),
        ...unlinked.map((gameUserId) => `member.unlinked ${gameUserId}`),
      ];
      expect(await facts(chatUserId)).to.deep.equal(happened.sort());
    }
  });
});
