import { expect } from 'chai';
import mongoose from 'mongoose';
import { Members } from '../../../src/features/members/member-model.js';
import { clock } from '../../../src/lib/clock.js';
import type { Hold } from '../../sandbox/kit/fault-list.js';
import { withPromptSyncs } from '../../support/background.js';
import { linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { preview } from './preview-setup.js';
import { buildResyncGuild, resync, rolesOf as rolesAfterResync } from './resync-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  memberWrites,
  pendingSyncOf,
  refusal,
  rolesOf,
  sync,
  withoutNicknames,
} from './sync-setup.js';

// SYNC-36
describe('Syncs of a stopped process', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;

  before(async () => {
    ({ discord } = await world());
  });
  afterEach(() => {
    discord.clearFaults();
    clock.restore();
  });

  /** A person with this many due roles by their link, and a hold on the next request about them. */
  async function owing(roles: number, match: RegExp): Promise<Hold> {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    await mapTo(guild, { type: 'verified' }, { roles });
    person = await buildSettledMember(guild, { linked: false });
    await linkPerson(guild.guildId, person);
    discord.forgetRequests();
    return discord.hold({ match });
  }

  const them = () => ({ guildId: guild.guildId, chatUserId: person.chatUserId });

  /** Another process's writes that has synced the member under a later lease. */
  async function takeOver(): Promise<void> {
    const { guildId, chatUserId } = them();
    const leases = mongoose.connection.collection<{ _id: string; fence: number; owner: string }>('leases');
    const taken = await leases.findOneAndUpdate(
      { _id: `sync:${guildId}:${chatUserId}` },
      { $inc: { fence: 1 }, $set: { owner: 'other' } },
      { returnDocument: 'after' },
    );
    await Members.update(them(), { $set: { syncFence: Number(taken?.fence) } });
  }

  for (const roles of [1, 2]) {
    it(`A stopped sync writes nothing after another has synced the member (${roles} roles)`, async () => {
      const question = await owing(roles, /^GET .*\/members\/\d+$/);
      const syncing = refusal(sync(guild, person));
      await question.reached;
      await takeOver();
      question.letGo();
      expect(await syncing).to.include({ code: 'lease_lost' });
      expect(await memberWrites(guild)).to.deep.equal([]);
      expect(await rolesOf(guild, person)).to.deep.equal([]);
      expect(await Members.findOne(them())).not.to.have.property('applying');
      expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'verification' });
    });

    it(`A stopped sync writes nothing when its lease is over by its own clock, and stays pending (${roles} roles)`, async () => {
      const question = await owing(roles, /^GET .*\/members\/\d+$/);
      const syncing = refusal(sync(guild, person));
      await question.reached;
      // No lease timer has fired.
      clock.advance(30_001);
      question.letGo();
      expect(await syncing).to.include({ code: 'lease_lost' });
      expect(await memberWrites(guild)).to.deep.equal([]);
      expect(await pendingSyncOf(guild, person)).to.include({ trigger: 'verification' });
    });
  }

  it('A stopped sync does not report changes that the other has reported', async () => {
    const write = await owing(1, /^PUT /);
    const syncing = refusal(sync(guild, person));
    await write.reached;
    await takeOver();
    const told = (await Members.findOne(them()))?.syncs.length;
    write.letGo();
    expect(await syncing).to.include({ code: 'lease_lost' });
    expect((await Members.findOne(them()))?.syncs.length).to.equal(told);
  });

  it('A sync is done although the database’s clock was set back by more than an hour', async () => {
    (await owing(1, /^PUT /)).letGo();
    await Members.update(them(), { $set: { syncFence: Date.now() + 2 * 3_600_000 } });
    expect((await sync(guild, person)).added).to.have.length(1);
  });
});

// RESYNC-19, RESYNC-22
describe('A change in a resync whose write was not sent', () => {
  it('A shown change whose lease ran out before the write is made at the second try, and not skipped', async () => {
    const { discord } = await world();
    const resynced = await buildResyncGuild({ count: 1, inStep: 0 });
    const { previewId } = await preview(resynced, {});
    const question = discord.hold({ match: new RegExp(`^GET .*/guilds/${resynced.guildId}/members/\\d+$`) });
    const ended = resync(resynced, { previewId });
    await question.reached;
    clock.advance(10_001);
    question.letGo();
    expect(await ended).to.include({ changed: 1, failed: 0 });
    expect(await rolesAfterResync(resynced, resynced.people[0])).to.deep.equal([resynced.memberRole]);
    clock.restore();
  });
});
