import { setTimeout as delay } from 'node:timers/promises';
import { expect } from 'chai';
import mongoose, { type mongo } from 'mongoose';
import {
  countAllLinkedMembers,
  countLinkedMembers,
  linkedMembers,
} from '../../../src/features/members/linked-counts.js';
import { Members } from '../../../src/features/members/member-model.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { buildGuild, buildMember } from '../../support/build.js';

// API-59
describe('The count of linked members', () => {
  afterEach(() => clock.restore());

  it('The count of linked members includes departed ones, and counts each guild alone and all together', async () => {
    const before = await countAllLinkedMembers();
    const [guild, other] = [await buildGuild(), await buildGuild()];
    const [, left, unlinked] = [await buildMember(guild), await buildMember(guild), await buildMember(guild)];
    await buildMember(guild, { linked: false });
    const { guildId } = guild;
    await Members.update({ guildId, chatUserId: left.chatUserId }, { $set: { present: false } });
    expect((await guild.api.delete(`${guild.path}/members/${unlinked.chatUserId}/link`)).status).to.equal(204);
    expect([...(await linkedMembers([guildId, other.guildId]))]).to.have.deep.members([
      [guildId, 2],
      [other.guildId, 0],
    ]);
    expect(await countAllLinkedMembers()).to.equal(before + 2);
  });

  it('The count of linked members is a minute old at most', async () => {
    const guild = await buildGuild();
    await buildMember(guild);
    expect(await countLinkedMembers(guild.guildId)).to.equal(1);
    await buildMember(guild);
    clock.advance(minuteMs - 5_000);
    expect(await countLinkedMembers(guild.guildId)).to.be.within(1, 2);
    // The memory asks for the time once a millisecond.
    await delay(5);
    clock.advance(6_000);
    expect(await countLinkedMembers(guild.guildId)).to.equal(2);
  });

  it('The counts of linked members of a page of servers cost the database nothing within a minute', async () => {
    const ids = Array.from({ length: 100 }, (_, index) => `page-${index}`);
    const commands: mongo.CommandStartedEvent[] = [];
    const note = (event: mongo.CommandStartedEvent) => {
      if (JSON.stringify(event.command).includes('"page-')) commands.push(event);
    };
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    try {
      clock.freeze(clock.now());
      expect((await linkedMembers(ids)).size).to.equal(100);
      expect(commands).to.have.lengthOf(100);
      expect((await linkedMembers(ids)).size).to.equal(100);
      expect(commands).to.have.lengthOf(100);
    } finally {
      client.off('commandStarted', note);
    }
  });

  it('Stored counts of earlier versions on a member cause no error', async () => {
    const guild = await buildGuild();
    const { chatUserId } = await buildMember(guild);
    const { guildId, path } = guild;
    const left = { $set: { counted: true, uncounted: 'any' } };
    await Members.acrossGuilds.collection.updateOne({ guildId, chatUserId }, left);
    const { body } = await guild.api.get(`${path}/members/${chatUserId}`);
    expect(body).to.include({ status: 'linked' }).and.not.have.any.keys('counted', 'uncounted');
    expect((await guild.api.delete(`${path}/members/${chatUserId}/link`)).status).to.equal(204);
    expect(await countLinkedMembers(guildId)).to.equal(0);
  });
});
