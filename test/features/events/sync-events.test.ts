import { expect } from 'chai';
import { config } from '../../../src/config/config.js';
import { systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember, getMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { metrics } from '../../../src/lib/metrics.js';
import { configureRoblox } from '../../../src/platforms/roblox/roblox-config.js';
import { withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  addRole,
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  pendingSyncOf,
  rankFrom,
  refusal,
  retryNow,
  rolesOf,
  setSettings,
  sync,
  withoutNicknames,
} from '../sync/sync-setup.js';
import { dataOf, listen, relayed } from './listening.js';

let discord: World['discord'];
let roblox: World['roblox'];
let guild: GroupGuild;
const synced = () => dataOf(guild, 'role.synced');
const failed = () => dataOf(guild, 'role.sync_failed');
const about = ({ chatUserId, gameUserId }: TestPerson) => ({ chatUserId, gameUserId });

/** Registers hooks: each test gets a guild with a group, and platforms that are well. */
function useGuild(): void {
  withPromptSyncs();

  before(async () => {
    ({ discord, roblox } = await world());
  });

  beforeEach(async () => {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
  });

  afterEach(() => {
    discord.clearFaults();
    roblox.clearFaults();
    // With no breaker open.
    configureRoblox(config().roblox);
  });
}

describe('The events of a sync', () => {
  useGuild();

  it('The event role.synced names the given and taken roles and the cause', async () => {
    const roleIds = await mapTo(guild, rankFrom(guild, 1));
    const person = await buildSettledMember(guild);
    await listen(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    await sync(guild, person);
    await sync(guild, person);
    await unlinkMember(guild.guild, person.chatUserId, systemActor('test'));
    await eventually(async () => (await pendingSyncOf(guild, person)) === undefined, 'the sync');
    expect(await synced()).to.deep.equal([
      { ...about(person), trigger: 'command', added: roleIds, removed: [] },
      // A requested sync is reported when done, with any result.
      { ...about(person), trigger: 'command', added: [], removed: [] },
      { ...about(person), gameUserId: null, trigger: 'unlink', added: [], removed: roleIds },
    ]);
    expect(await failed()).to.deep.equal([]);
    expect(await Members.findOne({ guildId: guild.guildId, chatUserId: person.chatUserId })).not.to.have.property(
      'applying',
    );
  });

  it('The event role.synced contains a nickname only when the sync gave it or took it away', async () => {
    await setSettings(guild, { nickname: { ...defaultSettings.nickname, enabled: true } });
    await listen(guild);
    const person = await buildSettledMember(guild, { linked: false });
    await linkPerson(guild.guildId, person);
    await sync(guild, person);
    await unlinkMember(guild.guild, person.chatUserId, systemActor('test'));
    await eventually(async () => (await pendingSyncOf(guild, person)) === undefined, 'the sync');
    const nothing = { added: [], removed: [] };
    expect(await synced()).to.deep.equal([
      { ...about(person), gameUserId: null, trigger: 'join', ...nothing },
      { ...about(person), trigger: 'command', ...nothing, nickname: person.gameUsername },
      { ...about(person), gameUserId: null, trigger: 'unlink', ...nothing, nickname: null },
    ]);
  });

  it('A sync of an unknown member emits its event, and stores the member', async () => {
    const [roleId = ''] = await mapTo(guild, { type: 'unverified' });
    await listen(guild);
    const stranger = await buildPerson();
    discord.join(guild.guildId, stranger.chatUserId);
    await eventually(async () => (await rolesOf(guild, stranger))?.length === 1, 'the role');
    await eventually(async () => (await pendingSyncOf(guild, stranger)) === undefined, 'the payment');
    await relayed(guild.guildId);
    await Members.remove({ guildId: guild.guildId, chatUserId: stranger.chatUserId });
    discord.setMemberRoles(guild.guildId, stranger.chatUserId, []);
    await sync(guild, stranger);
    const [, event] = await synced();
    expect(event).to.include({ chatUserId: stranger.chatUserId, gameUserId: null, trigger: 'command' });
    expect(event?.added).to.deep.equal([roleId]);
    const {
      _id,
      syncs,
      outbox,
      syncFence: _,
      wentBy: __,
      left: ___,
      ...known
    } = await getMember(guild.guildId, stranger.chatUserId);
    expect(known).to.deep.equal({
      ...{ guildId: guild.guildId, chatUserId: stranger.chatUserId, chatUsername: stranger.username },
      ...{ state: 'joined', present: true, autoLinkBlocked: false, names: [stranger.username] },
    });
    expect({ syncs: syncs.length, outbox }).to.deep.equal({ syncs: 1, outbox: [] });
  });
});

describe('The events of a failed sync', () => {
  useGuild();
  let person: TestPerson;
  let roleIds: string[];

  beforeEach(async () => {
    roleIds = await mapTo(guild, rankFrom(guild, 1));
    person = await buildSettledMember(guild);
    roblox.setRank(guild.groupId, person.gameUserId, 1);
    await listen(guild);
  });
  const failure = (data: object) => ({ chatUserId: person.chatUserId, roleIds: [], willRetry: true, ...data });

  it('The event role.sync_failed reports each try, with its number, until the sync is done', async () => {
    discord.inject({ match: /^PUT .*\/roles\//, status: 500 });
    await refusal(sync(guild, person));
    await retryNow(guild, person);
    expect(await failed()).to.deep.equal([
      failure({ reason: 'chat_platform_unavailable', attempt: 1 }),
      failure({ reason: 'chat_platform_unavailable', attempt: 2 }),
    ]);
    expect(await synced()).to.deep.equal([]);
    discord.clearFaults();
    await retryNow(guild, person);
    expect(await synced()).to.deep.equal([{ ...about(person), trigger: 'command', added: roleIds, removed: [] }]);
    expect(await failed()).to.have.length(2);
  });

  it('The event role.sync_failed reports that Roblox does not answer', async () => {
    roblox.inject({ match: /memberships/, status: 503 });
    await refusal(sync(guild, person));
    expect(await failed()).to.deep.equal([failure({ reason: 'game_platform_unavailable', attempt: 1 })]);
    const body = await metrics.metrics();
    expect(body).to.match(/^rolelink_sync_failures_total\{reason="game_platform_unavailable"\} [1-9]/m);
    expect(body).to.match(/^rolelink_syncs_owed\{state="all"\} [1-9]/m);
  });

  it('The event role.sync_failed reports that Discord forbids a change that should be possible', async () => {
    discord.inject({ match: /^PUT .*\/roles\//, status: 403 });
    await refusal(sync(guild, person));
    expect(await failed()).to.deep.equal([failure({ reason: 'missing_permission', attempt: 1 })]);
  });

  it('The event role.sync_failed reports that the sync is also retried after a day', async () => {
    roblox.inject({ match: /memberships/, status: 503 });
    await refusal(sync(guild, person));
    const { guildId } = guild;
    await Members.update({ guildId, chatUserId: person.chatUserId }, { $set: { 'owedSync.attempts': 31 } });
    await refusal(sync(guild, person));
    expect((await failed()).at(-1)).to.deep.equal(
      failure({ reason: 'game_platform_unavailable', attempt: 32, willRetry: true }),
    );
    expect(await pendingSyncOf(guild, person)).to.include({ attempts: 32 });
    expect((await findMember(guildId, person.chatUserId))?.syncs.at(-1)).to.include({
      error: 'game_platform_unavailable',
    });
  });

  it('The event role.sync_failed reports that the person is not in the server any more', async () => {
    discord.leave(guild.guildId, person.chatUserId);
    await refusal(sync(guild, person));
    expect(await failed()).to.deep.equal([failure({ reason: 'member_gone', attempt: 1, willRetry: false })]);
    expect(await findMember(guild.guildId, person.chatUserId)).to.include({ present: false });
  });

  it('The event role.sync_failed names roles out of reach once until that changes; role.synced has the rest', async () => {
    const high = await addRole(guild, { name: 'High' });
    await mapTo(guild, rankFrom(guild, 1), { roleIds: [high] });
    discord.moveRole(guild.guildId, high, 99);
    await eventually(async () => (await sync(guild, person)).blocked[0]?.reason === 'role_above_bot', 'the move');
    const blocked = failure({ reason: 'role_hierarchy', attempt: 1, willRetry: false });
    await sync(guild, person);
    expect(await failed()).to.deep.equal([{ ...blocked, roleIds: [high] }]);
    expect((await synced())[0]).to.deep.include({ added: roleIds });
    discord.deleteRole(guild.guildId, high);
    await eventually(async () => (await sync(guild, person)).blocked[0]?.reason === 'role_deleted', 'the deletion');
    expect(await failed()).to.deep.equal([
      { ...blocked, roleIds: [high] },
      { ...blocked, roleIds: [high] },
    ]);
  });

  it('The event role.synced reports a sync’s effect after Discord’s answer was lost', async () => {
    discord.inject({ match: /^PUT .*\/roles\//, dropSocket: true, when: 'after' });
    await refusal(sync(guild, person));
    discord.clearFaults();
    expect(await rolesOf(guild, person)).to.deep.equal(roleIds);
    expect(await failed()).to.deep.equal([failure({ reason: 'chat_platform_unavailable', attempt: 1 })]);
    await retryNow(guild, person);
    expect(await synced()).to.deep.equal([{ ...about(person), trigger: 'command', added: roleIds, removed: [] }]);
    const [entry] = await latestEntries(guild.guildId, 1);
    expect(entry?.action).to.equal('member.synced');
    expect(entry?.changes).to.deep.include({ roles: { from: [], to: roleIds } });
    await sync(guild, person);
    expect((await synced()).at(-1)).to.deep.include({ added: [] });
  });
});
