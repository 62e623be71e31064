import { expect } from 'chai';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember, purgeNeverLinked } from '../../../src/features/members/member-service.js';
import { clock } from '../../../src/lib/clock.js';
import { privateWords } from '../../commands/private-answer.js';
import { api } from '../../support/api.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, linkPerson, type TestPerson, tokenFor } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { buildGroupGuild, buildSettledMember, type GroupGuild, mapTo, rolesOf } from '../sync/sync-setup.js';

const dayMs = 24 * 60 * 60_000;

// ID-4, SYNC-52
describe('Members with a missed join', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let verified: string;
  let person: TestPerson;

  beforeEach(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    person = await buildSettledMember(guild, { linked: false });
    await Members.remove({ guildId: guild.guildId, chatUserId: person.chatUserId });
    await linkPerson(null, person);
  });
  const isLinked = async () => {
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ state: 'linked', present: true });
    await eventually(async () => (await rolesOf(guild, person))?.includes(verified), 'the role');
  };

  it('The command /update immediately links a known person after a missed join', async () => {
    await privateWords(discord.command(guild.guildId, person.chatUserId, 'update'));
    await isLinked();
  });

  it('The command /verify immediately links a known person after a missed join', async () => {
    const words = await privateWords(discord.command(guild.guildId, person.chatUserId, 'verify'));
    expect(words).to.contain('You are verified here');
    await isLinked();
  });

  it('A sync over the API immediately links a known person after a missed join, and refuses unknown people', async () => {
    const resync = (id: string) => guild.api.post(`${guild.path}/members/${id}/resync`, {});
    expect((await resync(person.chatUserId)).status).to.equal(200);
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(person.gameUsername);
    await isLinked();
    expect((await resync((await buildPerson()).chatUserId)).body.code).to.equal('member_not_found');
  });
});

describe('Records of people', () => {
  withPromptSyncs();
  // ID-6
  it('The platform’s token ends an account without blocking its person in any guild', async () => {
    const guild = await buildGroupGuild();
    const person = await buildSettledMember(guild);
    const { chatUserId } = person;
    const { status } = await api(await tokenFor('*', 'owner')).delete(
      `/api/verification/unlink?chatUserId=${chatUserId}`,
    );
    expect(status).to.equal(204);
    expect(await findMember(guild.guildId, chatUserId)).to.include({ state: 'unlinked', autoLinkBlocked: false });
    await linkPerson(null, person);
    await eventually(async () => (await findMember(guild.guildId, chatUserId))?.state === 'linked', 'the link');
  });

  // RESYNC-34
  it('The record of a person without a link is deleted 30 days after they left', async () => {
    const guild = await buildGroupGuild();
    const [stays, left, longGone, linked] = await Promise.all([
      buildSettledMember(guild, { linked: false }),
      buildSettledMember(guild, { linked: false }),
      buildSettledMember(guild, { linked: false }),
      buildSettledMember(guild),
    ]);
    const leave = ({ chatUserId }: TestPerson, days: number) =>
      Members.update(
        { guildId: guild.guildId, chatUserId },
        { $set: { present: false, presenceAt: new Date(Date.now() - days * dayMs), outbox: [] } },
      );
    await Promise.all([leave(left, 29), leave(longGone, 31), leave(linked, 31)]);
    await purgeNeverLinked(clock.now());
    const kept = [stays, left, longGone, linked].map(({ chatUserId }) => findMember(guild.guildId, chatUserId));
    expect((await Promise.all(kept)).map((member) => member !== null)).to.deep.equal([true, true, false, true]);
  });
});
