import { expect } from 'chai';
import mongoose from 'mongoose';
import { findMember } from '../../../src/features/members/member-service.js';
import { PlannedChanges } from '../../../src/features/sync/plan/planned-change-model.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { latestVersion, migrateData } from '../../../src/platforms/database/data-version.js';
import { asPerson } from '../../support/api.js';
import { emptyOutboxes, withPromptSyncs } from '../../support/background.js';
import { eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { resyncIn } from '../sync/resync-setup.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  setSettings,
  sync,
} from '../sync/sync-setup.js';
import { buildEndpoint, deliveriesOf, type TestEndpoint } from '../webhooks/delivery-setup.js';
import { answer } from '../webhooks/receiver.js';
import { eraseAll } from './privacy-setup.js';

/** PRIV-11: events about a person from before their erasure request are not sent any more. */
describe('An erased person’s pending deliveries and plans', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let endpoint: TestEndpoint;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    await mapTo(guild, { type: 'verified' });
    endpoint = await buildEndpoint(guild);
  });
  afterEach(() => endpoint.receiver.close());

  /** The events about a person that the receiver has been sent, as `member.unlinked erased`. */
  const sentAbout = ({ chatUserId }: TestPerson) =>
    endpoint.receiver.received
      .map(({ body }) => JSON.parse(body.toString()))
      .filter(({ data }) => data.chatUserId === chatUserId)
      .map(({ event, data }) => [event, data.reason ?? data.trigger].filter(Boolean).join(' '));
  const erase = async (person: TestPerson) => {
    expect((await (await asPerson(person)).delete('/api/auth/me')).status).to.equal(202);
    await eraseAll();
  };
  const settled = (state: string) =>
    eventually(async () => {
      const all = await deliveriesOf(endpoint);
      return all.length > 0 && all.every((one) => one.state === state && one.lease === undefined) ? all : null;
    }, `deliveries in the state ${state}`);

  // PRIV-12
  it('A delivery that failed before the wish is never sent, and the events of the erasure are', async () => {
    endpoint.receiver.behave(answer(500));
    const person = await buildSettledMember(guild);
    await emptyOutboxes();
    const before = await settled('retrying');
    expect(before.map(({ event }) => event)).to.include('role.synced');
    endpoint.receiver.received.length = 0;
    endpoint.receiver.behave(answer(200));
    await erase(person);
    await emptyOutboxes();
    const left = await settled('succeeded');
    const ids = new Set(left.map(({ _id }) => _id));
    expect(before.filter(({ _id }) => ids.has(_id))).to.deep.equal([]);
    expect(new Set(sentAbout(person))).to.deep.equal(new Set(['member.unlinked erased', 'role.synced unlink']));
    const since = new Date(0).toISOString();
    const { status } = await guild.api.post(`${guild.path}/deliveries/${before[0]?._id}/redeliver`);
    expect(status).to.equal(404);
    expect(
      (await guild.api.post(`${guild.path}/webhooks/${endpoint.webhookId}/redeliver-failed`, { since })).body,
    ).to.deep.equal({ count: 0 });
  });

  it('A delivery that had arrived is not sent again by hand, and one of the erasure is', async () => {
    const person = await buildSettledMember(guild);
    const other = await buildSettledMember(guild);
    await emptyOutboxes();
    const before = await settled('succeeded');
    await erase(person);
    await emptyOutboxes();
    const redeliver = async (_id: string) =>
      (await guild.api.post(`${guild.path}/deliveries/${_id}/redeliver`)).body.code;
    for (const { _id, body } of before) {
      const isTheirs = body.includes(person.chatUserId);
      expect(await redeliver(_id), body).to.equal(isTheirs ? 'person_erased' : undefined);
    }
    expect(before.some(({ body }) => body.includes(other.chatUserId))).to.equal(true);
    const own = await eventually(async () => {
      const all = await deliveriesOf(endpoint);
      return all.find(({ event, state }) => event === 'member.unlinked' && state === 'succeeded');
    }, 'the event of the erasure');
    expect(await redeliver(own._id)).to.equal(undefined);
  });

  it('A resync that waits for an admin forgets its plan for an erased person, and continues with others', async () => {
    await setSettings(guild, { massRemoval: { people: 1, sharePercent: 1 } });
    const roleId = await addRole(guild);
    await mapTo(guild, { type: 'unverified' }, { roleIds: [roleId] });
    const people = [await buildSettledMember(guild), await buildSettledMember(guild)];
    const [person, other] = people as [TestPerson, TestPerson];
    for (const { chatUserId } of people) discord.setMemberRoles(guild.guildId, chatUserId, [roleId]);
    const { jobId } = (await guild.api.post(`${guild.path}/resync`, {})).body;
    const planned = async () =>
      (await PlannedChanges.acrossGuilds.find({ planId: jobId }).lean()).map(({ chatUserId }) => chatUserId);
    await eventually(async () => {
      const { body } = await guild.api.get(`${guild.path}/resync/${jobId}`);
      return body.awaitingConfirmation;
    }, 'the brake');
    expect(await planned()).to.include.members([person.chatUserId, other.chatUserId]);
    await erase(person);
    expect(await planned()).to.include(other.chatUserId);
    expect(await planned()).to.not.include(person.chatUserId);
    await guild.api.post(`${guild.path}/resync`, { confirm: jobId });
    await resyncIn(guild, jobId, 'completed');
    expect(discord.member(guild.guildId, other.chatUserId)?.roleIds).to.not.include(roleId);
  });

  it('A person’s new verification after their erasure appears in events as before', async () => {
    const person = await buildSettledMember(guild);
    await emptyOutboxes();
    await erase(person);
    await emptyOutboxes();
    await settled('succeeded');
    endpoint.receiver.behave(answer(500));
    await linkPerson(guild.guildId, person);
    await sync(guild, person);
    await emptyOutboxes();
    await eventually(async () => (await deliveriesOf(endpoint)).some(({ state }) => state === 'retrying'), 'a retry');
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked' });
  });

  it('A delivery stored before deliveries named their person is erased like others after its migration', async () => {
    endpoint.receiver.behave(answer(500));
    const person = await buildSettledMember(guild);
    await emptyOutboxes();
    await settled('retrying');
    const { guildId } = guild;
    const versions = mongoose.connection.collection<{ _id: string; version: number }>('data_version');
    await Deliveries.acrossGuilds.updateMany({ guildId }, { $unset: { chatUserId: 1 } });
    await versions.updateOne({ _id: 'data' }, { $set: { version: 1 } });
    await migrateData();
    const stored = await Deliveries.find({ guildId, event: 'role.synced' });
    const theirs = stored.filter(({ chatUserId }) => chatUserId === person.chatUserId).map(({ _id }) => _id);
    expect(theirs).to.have.length.greaterThan(0);
    await erase(person);
    const left = (await deliveriesOf(endpoint)).map(({ _id }) => _id);
    expect(left.filter((id) => theirs.includes(id))).to.deep.equal([]);
    expect((await versions.findOne({ _id: 'data' }))?.version).to.equal(latestVersion());
  });
});
