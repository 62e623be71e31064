import { expect } from 'chai';
import { GuildMemberFlags } from 'discord.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import { privateWords } from '../../commands/private-answer.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { at } from '../sync/preview-setup.js';
import { buildResyncGuild, resync } from '../sync/resync-setup.js';
import { buildGroupGuild, type GroupGuild, lastSyncOf, mapTo, rolesOf, setSettings, sync } from '../sync/sync-setup.js';

// SYNC-49, SYNC-50
describe('Members before accepting the server’s rules', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let roleId: string;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    [roleId = ''] = await mapTo(guild, { type: 'verified' });
    person = await buildPerson();
  });

  /** A verified person joins, and is synced. */
  const join = async (pending = true) => {
    await linkPerson(null, person);
    discord.join(guild.guildId, person.chatUserId, { pending });
    await eventually(async () => {
      const member = await findMember(guild.guildId, person.chatUserId);
      return member?.state === 'linked' && member.syncs.length > 0 && member.owedSync === undefined;
    }, 'the sync of joining');
  };
  const given = () => eventually(async () => (await rolesOf(guild, person))?.includes(roleId), 'the role');

  it('A member gets a nickname but no roles before accepting the rules, and the roles by accepting', async () => {
    await join();
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(person.gameUsername);
    discord.acceptRules(guild.guildId, person.chatUserId);
    await given();
    // Discord has the role before the sync is noted.
    const added = async () => (await lastSyncOf(guild, person))?.added;
    await eventually(async () => (await added())?.includes(roleId), 'the note of the sync');
    expect(await lastSyncOf(guild, person)).to.deep.include({ trigger: 'join', added: [roleId] });
    expect(await getMember(guild.guildId, person.chatUserId)).not.to.have.property('pending');
  });

  // SYNC-101
  it('A member whom a moderator waves through gets their roles', async () => {
    await join();
    discord.setFlags(guild.guildId, person.chatUserId, GuildMemberFlags.BypassesVerification);
    await given();
  });

  // SYNC-101
  it('A guest of a voice channel is left alone, and gets roles once they are a member', async () => {
    const isGuest = { flags: GuildMemberFlags.IsGuest, pending: false };
    await linkPerson(null, person);
    discord.join(guild.guildId, person.chatUserId, isGuest);
    await eventually(async () => (await findMember(guild.guildId, person.chatUserId))?.syncs.length === 1, 'the sync');
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(null);
    discord.setFlags(guild.guildId, person.chatUserId, 0);
    await given();
  });

  it('The commands /update and /why show a member that roles wait for the rules', async () => {
    await join();
    for (const command of ['update', 'why'] as const) {
      const words = await privateWords(discord.command(guild.guildId, person.chatUserId, command));
      expect(words).to.include('Roles are given once the rules of this server are accepted on Discord.');
    }
    const { body } = await guild.api.post(`${guild.path}/members/${person.chatUserId}/resync`);
    expect(body).to.deep.include({ added: [], waitsForRules: true });
  });

  it('A pending member gets roles immediately where the setting is off', async () => {
    await setSettings(guild, { waitForRules: false });
    await join();
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  it('A member gets back the roles that the onboarding of the server has dropped', async () => {
    await join(false);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    discord.acceptRules(guild.guildId, person.chatUserId, { roleIds: [] });
    await given();
  });

  it('A pending member keeps the roles that they have, and loses those that they are due no more', async () => {
    await join();
    const extra = await mapTo(guild, { type: 'unverified' });
    discord.setMemberRoles(guild.guildId, person.chatUserId, [roleId, ...extra]);
    expect((await sync(guild, person)).removed).to.deep.equal(extra);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
  });

  it('A resync gives a member the roles once the rules are accepted, and none before', async () => {
    const crowd = await buildResyncGuild({ count: 2, inStep: 0 });
    const { chatUserId } = at(crowd.people, 0);
    const { chatUserId: other } = at(crowd.people, 1);
    discord.setPending(crowd.guildId, chatUserId, true);
    expect(await resync(crowd)).to.include({ state: 'completed', changed: 1 });
    expect(discord.member(crowd.guildId, chatUserId)?.roleIds).to.deep.equal([]);
    expect(discord.member(crowd.guildId, other)?.roleIds).to.deep.equal([crowd.memberRole]);
    expect(await getMember(crowd.guildId, chatUserId)).to.include({ pending: true });
    discord.setPending(crowd.guildId, chatUserId, false);
    expect(await resync(crowd)).to.include({ state: 'completed', changed: 1 });
    expect(discord.member(crowd.guildId, chatUserId)?.roleIds).to.deep.equal([crowd.memberRole]);
    expect(await getMember(crowd.guildId, chatUserId)).not.to.have.property('pending');
  });

  it('The next sync of a member finds accepted rules when the event was missed', async () => {
    await join(false);
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    const { guildId } = guild;
    await Members.update({ guildId, chatUserId: person.chatUserId }, { $set: { pending: true } });
    await guild.api.get(`${guild.path}/members/${person.chatUserId}`);
    await given();
  });

  it('The setting waitForRules is on where an older document does not name it, and /settings turns it off', async () => {
    const { waitForRules: _, ...older } = defaultSettings;
    const { status, body } = await guild.api.put(`${guild.path}/settings`, older);
    expect({ status, is: body.waitForRules }).to.deep.equal({ status: 200, is: true });
    const words = await privateWords(
      discord.command(guild.guildId, guild.ownerId, 'settings join', { wait_for_rules: false }),
    );
    expect(words).to.include("Roles wait until the server's rules are accepted**: off");
  });
});
