import { expect } from 'chai';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { findAccount, unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { endLink } from '../../../src/features/members/member-links.js';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import { Deliveries } from '../../../src/features/webhooks/delivery-model.js';
import { signIn } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import {
  buildGuild,
  buildMember,
  eventually,
  linkPerson,
  type TestGuild,
  type TestPerson,
} from '../../support/build.js';
import { dataOf, listen, relayed } from './listening.js';

describe('The event of an unlink', () => {
  withPromptSyncs();
  let guild: TestGuild;
  let person: TestPerson;

  beforeEach(async () => {
    guild = await buildGuild();
    person = await buildMember(guild);
    await listen(guild);
  });

  const unlinked = (where = guild) => dataOf(where, 'member.unlinked');
  const wasLinked = () => {
    const { chatUserId, gameUserId, gameUsername } = person;
    return { chatUserId, gameUserId, gameUsername };
  };

  it('The event member.unlinked reports an admin’s unlink once, with the admin', async () => {
    const path = `${guild.path}/members/${person.chatUserId}/link`;
    expect((await guild.api.delete(path)).status).to.equal(204);
    expect((await guild.api.delete(path)).status).to.equal(404);
    const [, payload = ''] = guild.token.split('.');
    const tokenId = JSON.parse(Buffer.from(payload, 'base64url').toString()).sub;
    expect(await unlinked()).to.deep.equal([{ ...wasLinked(), reason: 'admin', actorId: tokenId }]);
  });

  it('The event member.unlinked informs every guild that the person unlinked themselves', async () => {
    const other = await buildGuild();
    await listen(other);
    await buildMember(other, { linked: false, person });
    await eventually(async () => (await findMember(other.guildId, person.chatUserId))?.state === 'linked', 'the link');
    const caller = await signIn(person.chatUserId);
    expect((await caller.delete('/api/verification/unlink')).status).to.equal(204);
    const told = { ...wasLinked(), reason: 'self', actorId: person.chatUserId };
    for (const where of [guild, other]) expect(await unlinked(where)).to.deep.equal([told]);
  });

  it('The event member.unlinked reports that another person has proved the account to be theirs', async () => {
    const heir = { ...(await buildMember(guild, { linked: false })), gameUserId: person.gameUserId };
    await linkPerson(guild.guildId, { ...heir, gameUsername: person.gameUsername });
    expect(await findAccount(person.chatUserId)).to.equal(null);
    expect(await unlinked()).to.deep.equal([{ ...wasLinked(), reason: 'transferred', actorId: 'test' }]);
  });

  it('The event member.unlinked reports that the person is erased', async () => {
    await unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username), 'erased');
    expect(await unlinked()).to.deep.equal([{ ...wasLinked(), reason: 'erased', actorId: person.chatUserId }]);
  });

  it('Ten simultaneous unlinks end one link and store one event', async () => {
    const member = await getMember(guild.guildId, person.chatUserId);
    const ends = await Promise.all(Array.from({ length: 10 }, () => endLink(member, 'admin', systemActor('test'))));
    expect(ends.filter(Boolean)).to.have.length(1);
    expect(await unlinked()).to.have.length(1);
  });

  it('The event member.unlinked comes again when the person is linked and unlinked again', async () => {
    for (const _ of [1, 2]) {
      await linkPerson(guild.guildId, person);
      await endLink(await getMember(guild.guildId, person.chatUserId), 'admin', systemActor('test'));
    }
    expect(await unlinked()).to.have.length(2);
  });

  it('The event member.unlinked is stored only for endpoints that subscribe to it', async () => {
    await listen(guild, ['member.unlinked', 'guild.suspended']);
    await listen(guild, ['guild.suspended']);
    const elsewhere = await buildGuild();
    await listen(elsewhere);
    await endLink(await getMember(guild.guildId, person.chatUserId), 'admin', systemActor('test'));
    await relayed(guild.guildId);
    const deliveries = await Deliveries.find({ guildId: guild.guildId, event: 'member.unlinked' });
    expect(deliveries).to.have.length(2);
    expect(new Set(deliveries.map(({ eventId }) => eventId)).size).to.equal(1);
    expect(new Set(deliveries.map(({ body }) => body)).size).to.equal(1);
    expect(await unlinked(elsewhere)).to.deep.equal([]);
  });
});
