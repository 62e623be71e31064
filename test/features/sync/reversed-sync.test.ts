import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { Members } from '../../../src/features/members/member-model.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { reversedOf } from '../../../src/features/sync/member/interrupted-sync.js';
import { beginChange } from '../../../src/features/sync/member/member-change.js';
import type { SyncPlan } from '../../../src/features/sync/plan/plan.js';
import { eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  rankFrom,
  rolesOf,
  setSettings,
  sync,
  withoutNicknames,
} from './sync-setup.js';

const nothing: SyncPlan = { add: [], remove: [], nickname: undefined, blocked: [], nicknameBlocked: null };

// SYNC-43
describe('A sync that reverses an interrupted one', () => {
  let discord: World['discord'];
  let roblox: World['roblox'];
  let guild: GroupGuild;
  let person: TestPerson;

  before(async () => {
    ({ discord, roblox } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    await withoutNicknames(guild);
    person = await buildSettledMember(guild);
  });

  /** A sync's part before its process is killed, right after Discord has made the change. */
  async function interruptAfter(plan: Partial<SyncPlan>): Promise<void> {
    const { guildId } = guild;
    const { chatUserId, username, gameUserId } = person;
    const stored = await getMember(guildId, chatUserId);
    const { roleIds = [], nickname = null } = discord.member(guildId, chatUserId) ?? {};
    const change = {
      ...{ guildId, chatUserId, gameUserId, stored },
      lease: { fence: Date.now(), requireHeld: () => undefined },
      cause: { trigger: 'command' as const, actor: systemActor('test') },
    };
    const whole = { ...nothing, ...plan };
    await beginChange(change, { member: { chatUserId, username, nickname, roleIds }, plan: whole });
    const kept = roleIds.filter((roleId) => !whole.remove.includes(roleId));
    const named = whole.nickname === undefined ? {} : { nickname: whole.nickname };
    discord.setMember(guildId, chatUserId, { roleIds: [...kept, ...whole.add], ...named });
  }

  /** The log entries about the member's roles, oldest first: given and taken. */
  async function logged(): Promise<{ to: unknown; from: unknown }[]> {
    const { entries } = { entries: await latestEntries(guild.guildId, 20) };
    return entries
      .filter(({ action, target }) => action === 'member.synced' && target.id === person.chatUserId)
      .flatMap(({ changes }) => changes?.roles ?? [])
      .reverse();
  }

  async function recorded(): Promise<{ added: string[]; removed: string[] }[]> {
    const { syncs } = await getMember(guild.guildId, person.chatUserId);
    return syncs.slice(-2).map(({ added, removed }) => ({ added, removed }));
  }

  it('A reversing sync reports both: the given role, and then that it was taken', async () => {
    const [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    await interruptAfter({ add: [officer] });
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.deep.equal([]);
    const both = [
      { added: [officer], removed: [] },
      { added: [], removed: [officer] },
    ];
    expect(await recorded()).to.deep.equal(both);
    const inLog = both.map(({ added, removed }) => ({ from: removed, to: added }));
    await eventually(async () => (await logged()).length === 2, 'both entries');
    expect(await logged()).to.deep.equal(inLog);
    expect(await Members.findOne({ guildId: guild.guildId, chatUserId: person.chatUserId })).not.to.have.property(
      'applying',
    );
  });

  it('A reversing sync reports a taken role that is given again, next to its other changes', async () => {
    const [verified = '', other = ''] = await mapTo(guild, { type: 'verified' }, { roles: 2 });
    const [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    await sync(guild, person);
    await interruptAfter({ add: [officer], remove: [verified] });
    roblox.setRank(guild.groupId, person.gameUserId, 100);
    await sync(guild, person);
    expect(await rolesOf(guild, person)).to.have.members([verified, other, officer]);
    const [first, second] = await recorded();
    expect(first).to.deep.equal({ added: [], removed: [verified] });
    expect(second?.added).to.have.members([officer, verified]);
  });

  it('A reversing sync reports once, even if it is interrupted itself before it has reversed anything', async () => {
    const [officer = ''] = await mapTo(guild, rankFrom(guild, 100));
    await interruptAfter({ add: [officer] });
    discord.inject({ match: /^DELETE .*\/roles\//, status: 500 });
    await sync(guild, person).catch(() => undefined);
    discord.clearFaults();
    await sync(guild, person);
    const { syncs } = await getMember(guild.guildId, person.chatUserId);
    expect(syncs.filter(({ added }) => added.includes(officer))).to.have.length(1);
    expect(syncs.filter(({ removed }) => removed.includes(officer))).to.have.length(1);
  });

  it('A reversing sync reports a nickname that was set and is replaced', async () => {
    await setSettings(guild, { nickname: { ...defaultSettings.nickname, template: 'The {gameUsername}' } });
    await interruptAfter({ nickname: 'Former' });
    await sync(guild, person);
    const { syncs } = await getMember(guild.guildId, person.chatUserId);
    expect(syncs.slice(-2).map(({ nickname }) => nickname)).to.deep.equal(['Former', `The ${person.gameUsername}`]);
  });

  it('A reversing sync reports the given roles before a member is kicked', () => {
    const member = { chatUserId: '1', username: 'ann', nickname: null, roleIds: ['held'] };
    const applying = { added: ['held', 'lost'], removed: [], formerNickname: null };
    const kick = { ...nothing, kick: 'denied_user' as const };
    expect(reversedOf(member, kick, applying)?.plan.add).to.deep.equal(['held']);
    expect(reversedOf(member, nothing, applying)).to.equal(null);
  });
});
