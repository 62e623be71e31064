import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { findMember } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { storeErasure } from '../../../src/features/privacy/erasure-store.js';
import { latestResync, startResync } from '../../../src/features/sync/resync/resync-service.js';
import { withPromptSyncs } from '../../support/background.js';
import { eventually, forgetPending, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import { eraseAll } from '../privacy/privacy-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  mapTo,
  memberWrites,
  refusal,
  retryNow,
  rolesOf,
  setSettings,
  sync,
} from './sync-setup.js';

describe('Changes that are told once', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;

  before(async () => {
    ({ discord } = await world());
  });
  afterEach(() => discord.clearFaults());

  const named = (enabled: boolean) => ({ nickname: { ...defaultSettings.nickname, enabled } });
  const member = () => findMember(guild.guildId, person.chatUserId);
  const shown = () => discord.member(guild.guildId, person.chatUserId)?.nickname;
  const toldRoles = async () => (await dataOf(guild, 'role.synced')).flatMap(({ added }) => added);

  /** A person who is due a role, and nobody but the test syncs them. */
  async function owing(): Promise<string> {
    guild = await buildGroupGuild();
    await setSettings(guild, named(false));
    const [roleId = ''] = await mapTo(guild, { type: 'verified' });
    person = await buildSettledMember(guild, { linked: false });
    await linkPerson(guild.guildId, person);
    await forgetPending();
    await listen(guild);
    return roleId;
  }

  const loseAnswer = () =>
    discord.inject({ match: /^(PUT|PATCH) .*\/members\//, dropSocket: true, when: 'after', times: 1 });

  // SYNC-40
  it('A resync that plans while a sync is under way tells nothing again', async () => {
    const roleId = await owing();
    const write = discord.hold({ match: /^PUT .*\/roles\// });
    const syncing = sync(guild, person);
    await write.reached;
    const { job } = await startResync(guild.guild, systemActor('test'));
    await eventually(async () => {
      const latest = await latestResync(guild.guildId);
      return latest?.phase === 'applying';
    }, 'the plan');
    write.letGo();
    await syncing;
    await eventually(async () => {
      const latest = await latestResync(guild.guildId);
      return latest?._id === job._id && latest.state === 'completed';
    }, 'the resync');
    expect(await toldRoles()).to.deep.equal([roleId]);
  });

  // SYNC-61
  it('A role whose answer was lost is told once when the server then observes', async () => {
    const roleId = await owing();
    loseAnswer();
    await refusal(sync(guild, person));
    await setSettings(guild, { mode: 'observe', ...named(false) });
    await retryNow(guild, person);
    await sync(guild, person);
    expect(await toldRoles()).to.deep.equal([roleId]);
    expect(await member()).not.to.have.property('applying');
  });

  it('A role whose answer was lost is told once when the person then leaves', async () => {
    const roleId = await owing();
    loseAnswer();
    await refusal(sync(guild, person));
    discord.leave(guild.guildId, person.chatUserId);
    await retryNow(guild, person);
    expect(await toldRoles()).to.deep.equal([roleId]);
  });

  it('A role that Discord never got is not told when the person has left', async () => {
    await owing();
    const write = discord.hold({ match: /^PUT .*\/roles\// });
    const syncing = refusal(sync(guild, person));
    await write.reached;
    discord.leave(guild.guildId, person.chatUserId);
    write.letGo();
    expect(await syncing).to.include({ code: 'member_not_found' });
    expect(await toldRoles()).to.deep.equal([]);
  });

  // OBS-53
  it('A nickname whose answer was lost stays ours in a server that observes, and is taken back by an erasure', async () => {
    await owing();
    await setSettings(guild, named(true));
    discord.inject({ match: /^PATCH .*\/members\//, dropSocket: true, when: 'after', times: 1 });
    await refusal(sync(guild, person));
    expect(shown()).to.equal(person.gameUsername);
    await setSettings(guild, { mode: 'observe' });
    await retryNow(guild, person);
    expect(await member()).to.include({ givenNickname: person.gameUsername });
    await storeErasure(person.chatUserId, person.username);
    await eraseAll();
    expect(shown()).to.equal(null);
  });

  it('An unlink in a server that observes leaves the nickname, and the server takes it back once it gives roles', async () => {
    await owing();
    await setSettings(guild, named(true));
    await sync(guild, person);
    await setSettings(guild, { mode: 'observe' });
    await unlinkMember(guild.guild, person.chatUserId, systemActor('test'));
    await eventually(async () => (await member())?.owedSync === undefined, 'the sync');
    expect(shown()).to.equal(person.gameUsername);
    await setSettings(guild, named(true));
    await sync(guild, person);
    expect(shown()).to.equal(null);
  });

  it('An erasure takes back the nickname in a server that observes, and leaves the roles', async () => {
    const roleId = await owing();
    await setSettings(guild, named(true));
    await sync(guild, person);
    await setSettings(guild, { mode: 'observe' });
    await sync(guild, person);
    discord.forgetRequests();
    await storeErasure(person.chatUserId, person.username);
    await eraseAll();
    expect(shown()).to.equal(null);
    expect(await rolesOf(guild, person)).to.deep.equal([roleId]);
    expect(await memberWrites(guild)).to.deep.equal([`PATCH ${person.chatUserId}`]);
  });

  it('An erasure in a server that observes leaves a nickname of the person’s own', async () => {
    await owing();
    await setSettings(guild, named(true));
    await sync(guild, person);
    await setSettings(guild, { mode: 'observe' });
    discord.setNickname(guild.guildId, person.chatUserId, 'My own');
    await sync(guild, person);
    await storeErasure(person.chatUserId, person.username);
    await eraseAll();
    expect(shown()).to.equal('My own');
  });
});
