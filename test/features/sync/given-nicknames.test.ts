import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { pendingSync } from '../../../src/features/members/pending-syncs.js';
import { storeErasure } from '../../../src/features/privacy/erasure-store.js';
import { beginChange } from '../../../src/features/sync/member/member-change.js';
import type { SyncPlan } from '../../../src/features/sync/plan/plan.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { buildPerson, eventually, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { eraseAll } from '../privacy/privacy-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  memberWrites,
  pendingSyncOf,
  refusal,
  setSettings,
  sync,
} from './sync-setup.js';

const nothing: SyncPlan = { add: [], remove: [], nickname: undefined, blocked: [], nicknameBlocked: null };

describe('Nicknames that are ours', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    person = await buildSettledMember(guild);
    expect(shown()).to.equal(person.gameUsername);
  });
  afterEach(() => {
    discord.clearFaults();
    discord.dropOwnNames(false);
  });

  const shown = () => discord.member(guild.guildId, person.chatUserId)?.nickname;
  const failWrites = () => discord.inject({ match: /^PATCH .*\/members\/\d+$/, status: 500 });
  const template = (text: string) => setSettings(guild, { nickname: { ...defaultSettings.nickname, template: text } });
  const unlink = () => unlinkMember(guild.guild, person.chatUserId, systemActor('test'));
  const settled = () => eventually(async () => (await pendingSyncOf(guild, person)) === undefined, 'the sync');
  /** A sync's part before its process is killed, right before the call to Discord. */
  const begin = async (nickname: string) => {
    const { guildId } = guild;
    const { chatUserId, username, gameUserId } = person;
    const stored = await getMember(guildId, chatUserId);
    const change = {
      ...{ guildId, chatUserId, gameUserId, stored, pending: pendingSync('command').owedSync },
      lease: { fence: Date.now(), requireHeld: () => undefined },
      cause: { trigger: 'command' as const, actor: systemActor('test') },
    };
    const member = { chatUserId, username, nickname: shown() ?? null, roleIds: [] };
    await beginChange(change, { member, plan: { ...nothing, nickname } });
  };

  it('Unlinking takes back the former nickname when Discord did not take the new one', async () => {
    await template('{gameUsername} II');
    failWrites();
    await refusal(sync(guild, person));
    expect(shown()).to.equal(person.gameUsername);
    expect(await getMember(guild.guildId, person.chatUserId)).to.include({ givenNickname: person.gameUsername });
    discord.clearFaults();
    await unlink();
    await eventually(() => shown() === null, 'the end of the nickname');
  });

  it('An erasure takes back the former nickname after a new one failed', async () => {
    await template('{gameUsername} II');
    failWrites();
    await refusal(sync(guild, person));
    discord.clearFaults();
    await storeErasure(person.chatUserId, person.username);
    await eraseAll();
    expect(shown()).to.equal(null);
  });

  it('Unlinking takes back a nickname that Discord has, though the process was killed before it knew', async () => {
    await begin('Mine now');
    discord.setNickname(guild.guildId, person.chatUserId, 'Mine now');
    await unlink();
    await eventually(() => shown() === null, 'the end of the nickname');
  });

  it('Unlinking takes back the nickname that a killed process gave, also when the next process is killed too', async () => {
    await begin('First');
    discord.setNickname(guild.guildId, person.chatUserId, 'First');
    await begin('Second');
    expect(await getMember(guild.guildId, person.chatUserId)).to.include({ givenNickname: 'First' });
    await unlink();
    await eventually(() => shown() === null, 'the end of the nickname');
  });

  it('Unlinking leaves the nickname that a person chose while a new one of ours failed', async () => {
    await template('{gameUsername} II');
    failWrites();
    await refusal(sync(guild, person));
    discord.clearFaults();
    discord.setNickname(guild.guildId, person.chatUserId, 'My own');
    await unlink();
    await settled();
    expect(shown()).to.equal('My own');
  });

  it('A nickname that equals the username is written only when the username changes', async () => {
    discord.dropOwnNames(true);
    const named = await buildPerson();
    discord.renameUser(named.chatUserId, named.gameUsername);
    person = await buildSettledMember(guild, { person: { ...named, username: named.gameUsername } });
    expect(shown()).to.equal(null);
    discord.forgetRequests();
    expect(await sync(guild, person)).to.include({ nickname: undefined });
    expect(await memberWrites(guild)).to.deep.equal([]);
    discord.renameUser(person.chatUserId, `${person.gameUsername}.elsewhere`);
    await eventually(async () => {
      await runPendingSyncs(guild.guildId);
      return shown() === person.gameUsername;
    }, 'the nickname');
    await settled();
    expect(await getMember(guild.guildId, person.chatUserId)).not.to.have.any.keys('namelessAs', 'askedNickname');
  });
});
