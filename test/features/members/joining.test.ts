import { container } from '@sapphire/framework';
import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { pendingSync } from '../../../src/features/members/pending-syncs.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rankFrom,
  retryNow,
  rolesOf,
  setSettings,
} from '../sync/sync-setup.js';
import { rolesBecome } from './roles-become.js';

let discord: World['discord'];
let roblox: World['roblox'];
let guild: GroupGuild;
let verified: string;
let unverified: string;
let person: TestPerson;
const haveRoles = (...roleIds: string[]) => rolesBecome(guild, person, roleIds);
const member = () => findMember(guild.guildId, person.chatUserId);

/** Registers hooks: each test gets a guild with two mappings, and a verified person. */
function useGuild(): void {
  withPromptSyncs();

  before(async () => {
    ({ discord, roblox } = await world());
  });

  beforeEach(async () => {
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    [unverified = ''] = await mapTo(guild, { type: 'unverified' });
    person = await buildPerson();
    await linkPerson(null, person);
  });
}

// SYNC-51
describe('Joining a server', () => {
  useGuild();

  // ID-21
  it('A verified person gets link, roles and nickname by joining, without doing anything', async () => {
    const [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    discord.join(guild.guildId, person.chatUserId);
    await haveRoles(verified, officer);
    await eventually(async () => (await member())?.owedSync === undefined, 'the end of the sync');
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(person.gameUsername);
    const { chatUsername, state, present, gameUserId, syncs } = (await member()) ?? {};
    const { username, gameUserId: theirs } = person;
    expect({ chatUsername, state, present, gameUserId }).to.deep.equal({
      chatUsername: username,
      state: 'linked',
      present: true,
      gameUserId: theirs,
    });
    expect(syncs?.[0]).to.deep.include({ trigger: 'join', removed: [] });
    expect(discord.auditLog(guild.guildId).at(-1)?.reason).to.equal('Rolelink join');
  });

  it('An unverified person gets the roles for the unverified by joining', async () => {
    await unlinkAccount(person.chatUserId, systemActor('test'));
    discord.join(guild.guildId, person.chatUserId);
    await haveRoles(unverified);
    expect(await member()).to.include({ state: 'joined', present: true });
  });

  it('A verified person is not linked by joining where autoLinkOnJoin is off', async () => {
    await setSettings(guild, { autoLinkOnJoin: false });
    discord.join(guild.guildId, person.chatUserId);
    await haveRoles(unverified);
    expect(await member()).to.include({ state: 'joined' });
  });

  it('A joining person is not linked to an account that another person has just taken over', async () => {
    for (let round = 0; round < 5; round += 1) {
      const [joiner, owner] = [await buildPerson(), await buildPerson()];
      await linkPerson(null, joiner);
      discord.join(guild.guildId, joiner.chatUserId);
      const { gameUserId, gameUsername } = joiner;
      await linkPerson(null, { ...owner, gameUserId, gameUsername });
      await eventually(async () => {
        const now = await findMember(guild.guildId, joiner.chatUserId);
        return now !== null && now.state !== 'linked' && now.owedSync === undefined;
      }, 'the loss');
      await eventually(async () => !(await rolesOf(guild, joiner))?.includes(verified), 'the loss of the role');
    }
  });

  it('A retry continues with a joining where a killed process has stopped', async () => {
    discord.join(guild.guildId, person.chatUserId);
    await haveRoles(verified);
    // As it is between a joining's first write and all that follows.
    await Members.update(
      { guildId: guild.guildId, chatUserId: person.chatUserId },
      {
        $set: { state: 'joined', ...pendingSync('join') },
        $unset: { gameUserId: 1, gameUsername: 1, gameDisplayName: 1, linkedAt: 1 },
      },
    );
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    await retryNow(guild, person);
    await haveRoles(verified);
    expect(await member()).to.include({ state: 'linked', gameUserId: person.gameUserId });
  });

  it('Joining does nothing in a suspended guild, and nothing for bots', async () => {
    const join = (bot: boolean) =>
      container.stores
        .get('listeners')
        .get('member-add-join')
        ?.run({
          id: person.chatUserId,
          guild: { id: guild.guildId },
          user: { username: person.username, bot },
          nickname: null,
          roles: { cache: new Map() },
        });
    await join(true);
    expect(await member()).to.equal(null);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'suspended' } });
    await join(false);
    expect(await member()).to.equal(null);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { state: 'active' } });
    await join(false);
    expect(await member()).to.include({ present: true });
  });

  it('A member with a new Discord name is found by it in the list', async () => {
    const known = await buildSettledMember(guild);
    const listener = container.stores.get('listeners').get('member-update-names');
    const told = {
      id: known.chatUserId,
      guild: { id: guild.guildId },
      user: { username: 'Fresh', avatar: null },
      nickname: null,
      roles: { cache: new Map() },
    };
    await listener?.run({ partial: false, user: told.user }, told);
    expect((await guild.api.get(`${guild.path}/members?q=fre`)).body.data).to.deep.equal([]);
    await listener?.run({ partial: true }, told);
    const found = await guild.api.get(`${guild.path}/members?q=fre`);
    expect(found.body.data.map(({ memberId }: { memberId: string }) => memberId)).to.deep.equal([known.chatUserId]);
    const stale = await guild.api.get(`${guild.path}/members?q=${known.username}`);
    expect(stale.body.data).to.deep.equal([]);
  });
});

describe('Joining a server again', () => {
  useGuild();

  // SYNC-48
  it('The link of a member survives their leaving, and joining again gives the roles back', async () => {
    discord.join(guild.guildId, person.chatUserId);
    await haveRoles(verified);
    discord.leave(guild.guildId, person.chatUserId);
    await eventually(async () => (await member())?.present === false, 'the leaving');
    expect(await member()).to.include({ state: 'linked', gameUserId: person.gameUserId });
    discord.join(guild.guildId, person.chatUserId);
    await haveRoles(verified);
    expect(await member()).to.include({ state: 'linked', present: true });
  });

  it('A person with another account proved elsewhere is linked to that one by joining again', async () => {
    discord.join(guild.guildId, person.chatUserId);
    await haveRoles(verified);
    discord.leave(guild.guildId, person.chatUserId);
    await eventually(async () => (await member())?.present === false, 'the leaving');
    const { gameUserId, gameUsername } = await buildPerson();
    await linkPerson(null, { ...person, gameUserId, gameUsername });
    expect(await member()).to.include({ state: 'linked', gameUserId, present: false });
    discord.join(guild.guildId, person.chatUserId);
    await haveRoles(verified);
    // After a join the nickname is written after the roles.
    await eventually(async () => (await member())?.owedSync === undefined, 'the end of the sync');
    expect(discord.member(guild.guildId, person.chatUserId)?.nickname).to.equal(gameUsername);
  });

  it('A person is found under a new Discord name after joining again', async () => {
    await Members.upsert(
      { guildId: guild.guildId, chatUserId: person.chatUserId },
      { $set: { chatUsername: 'former', names: ['former'], state: 'joined', present: false, autoLinkBlocked: false } },
    );
    discord.join(guild.guildId, person.chatUserId);
    await haveRoles(verified);
    expect(await member()).to.deep.include({
      chatUsername: person.username,
      names: [person.username, person.gameUsername.toLowerCase()],
    });
  });
});
