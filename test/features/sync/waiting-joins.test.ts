import { expect } from 'chai';
import { findPresentGuild } from '../../../src/core/guilds/guild-service.js';
import { memberJoined } from '../../../src/features/members/member-service.js';
import { endWait, forgetWaitingJoins, noteWaitingJoin } from '../../../src/features/sync/member/waiting-joins.js';
import { clock } from '../../../src/lib/clock.js';
import { minuteMs } from '../../../src/lib/time.js';
import { isKeptByGateway } from '../../../src/platforms/discord/guild-facts.js';
import type { GuildMember } from '../../../src/platforms/discord/guild-members.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, skipReconciliations } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  lastSyncOf,
  mapTo,
  memberWrites,
  pendingSyncOf,
} from './sync-setup.js';

// SYNC-18
describe('People waiting for the sync of their join', () => {
  let discord: World['discord'];
  let guild: GroupGuild;
  let chatUserId: string;
  let told: GuildMember;

  before(async () => {
    ({ discord } = await world());
    guild = await buildGroupGuild();
  });
  beforeEach(async () => {
    ({ chatUserId } = await buildPerson());
    discord.join(guild.guildId, chatUserId);
    told = { chatUserId, username: 'waiting', nickname: null, roleIds: [] };
  });
  afterEach(() => forgetWaitingJoins());
  after(() => skipReconciliations());

  const wait = () => noteWaitingJoin(guild.guildId, chatUserId, told);
  const end = () => endWait(guild.guildId, chatUserId);
  /** Ends the wait when `holds` is true, and restarts it until then. */
  const endWhen = (holds: (word: GuildMember | undefined) => boolean) =>
    eventually(() => {
      const { gatewayMember } = end();
      noteWaitingJoin(guild.guildId, chatUserId, gatewayMember);
      return holds(gatewayMember);
    }, 'the event');

  // SYNC-39
  it('The gateway’s latest state stays valid during a wait, and no other process claims the sync', () => {
    expect(wait()).to.equal(true);
    expect(end()).to.deep.equal({ isClaimed: true, gatewayMember: told });
  });

  it('A person already waiting for the sync of joining waits once', () => {
    expect([wait(), wait()]).to.deep.equal([true, false]);
    expect(end().gatewayMember).to.equal(told);
    expect(end()).to.deep.equal({ isClaimed: false });
  });

  it('A claim that could not be renewed in time is not trusted, and the word still is', () => {
    wait();
    clock.advance(minuteMs);
    expect(end()).to.deep.equal({ isClaimed: false, gatewayMember: told });
  });

  it('A role that a waiting person gets is part of the word', async () => {
    const roleId = await addRole(guild);
    wait();
    discord.setMemberRoles(guild.guildId, chatUserId, [roleId]);
    await endWhen((word) => word?.roleIds.includes(roleId) === true);
  });

  it('A waiting person that leaves is read from Discord', async () => {
    wait();
    discord.leave(guild.guildId, chatUserId);
    await endWhen((word) => word === undefined);
    expect(end().gatewayMember).to.equal(undefined);
  });

  const reconnected = async () => {
    await eventually(() => !isKeptByGateway(guild.guildId), 'the disconnection');
    await eventually(() => isKeptByGateway(guild.guildId), 'the connection');
  };

  it('The gateway’s word about a joining is not used while the gateway is away, and holds when it has resumed', async () => {
    wait();
    discord.dropGateway(300);
    await eventually(() => !isKeptByGateway(guild.guildId), 'the disconnection');
    const { chatUserId: other } = await buildPerson();
    noteWaitingJoin(guild.guildId, other, { ...told, chatUserId: other });
    expect(endWait(guild.guildId, other)).to.deep.equal({ isClaimed: true });
    await eventually(() => isKeptByGateway(guild.guildId), 'the connection');
    expect(end().gatewayMember).to.equal(told);
    await discord.ready();
  });

  it('A session that may have lost events ends the word of the one before', async () => {
    wait();
    discord.invalidateSessions();
    discord.dropGateway(300);
    await reconnected();
    expect(end().gatewayMember).to.equal(undefined);
  });
});

describe('A join that another process has synced before', () => {
  withPromptSyncs();

  // SYNC-18, ENV-95
  it('A person whose join a second process hears later is read from Discord, and nothing is made again', async () => {
    const guild = await buildGroupGuild();
    await mapTo(guild, { type: 'verified' });
    const person = await buildSettledMember(guild);
    const { discord } = await world();
    discord.forgetRequests();
    const known = (await findPresentGuild(guild.guildId)) ?? expect.fail();
    const { chatUserId, username } = person;
    await memberJoined(known, { chatUserId, username, nickname: null, roleIds: [] });
    await eventually(async () => (await pendingSyncOf(guild, person)) === undefined, 'the sync');
    expect(await memberWrites(guild)).to.deep.equal([]);
    expect(await lastSyncOf(guild, person))
      .to.include({ trigger: 'join' })
      .and.deep.include({ added: [] });
  });
});
