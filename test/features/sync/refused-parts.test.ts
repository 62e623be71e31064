import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { latestEntries } from '../../../src/core/audit/audit-service.js';
import { getMember } from '../../../src/features/members/member-service.js';
import { enqueueFreedSyncs } from '../../../src/features/sync/member/freed-syncs.js';
import { syncMember } from '../../../src/features/sync/member/member-sync.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs, minuteMs, secondMs } from '../../../src/lib/time.js';
import { privateWords } from '../../commands/private-answer.js';
import { runPendingSyncs, withPromptSyncs } from '../../support/background.js';
import { eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import { at } from './preview-setup.js';
import { buildResyncGuild, resync } from './resync-setup.js';
import {
  buildGroupGuild,
  buildSettledMember,
  type GroupGuild,
  lastSyncOf,
  mapTo,
  memberWrites,
  pendingSyncOf,
  rolesOf,
  sync,
} from './sync-setup.js';

const words = 'This nickname is blocked by the server';

// SYNC-27, SYNC-28, SYNC-30
describe('Parts of a sync that Discord refuses', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let person: TestPerson;
  let roleIds: string[];
  let endFilter: () => void;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    roleIds = await mapTo(guild, { type: 'verified' }, { roles: 2 });
    person = await buildSettledMember(guild, { linked: false });
    endFilter = () => undefined;
  });
  afterEach(() => {
    endFilter();
    clock.restore();
  });

  const filter = ({ gameUsername }: TestPerson) => {
    endFilter = discord.filterNicknames((nickname) => (nickname === gameUsername ? words : undefined));
  };
  const nicknameOf = ({ chatUserId }: TestPerson) => discord.member(guild.guildId, chatUserId)?.nickname;
  const seal = (roleId: string, isSealed = true) => discord.updateRole(guild.guildId, roleId, { isSealed });
  const verify = async () => {
    await linkPerson(guild.guildId, person);
    return sync(guild, person);
  };

  // SYNC-29
  it('A person with a nickname that Discord refuses gets their roles, and the refusal is shown in Discord’s words', async () => {
    filter(person);
    await listen(guild);
    const done = await verify();
    expect(done.added).to.have.members(roleIds);
    expect(done).to.include({ nickname: undefined, nicknameBlocked: 'refused_by_discord' });
    expect(done.nicknameRefused?.nickname).to.equal(person.gameUsername);
    expect(done.nicknameRefused?.detail).to.include(words);
    expect(await rolesOf(guild, person)).to.have.members(roleIds);
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    expect((await lastSyncOf(guild, person))?.nicknameRefused?.nickname).to.equal(person.gameUsername);
    const [event, ...others] = await dataOf(guild, 'role.sync_failed');
    expect(others).to.deep.equal([]);
    expect(event).to.include({ reason: 'refused_by_discord', nickname: person.gameUsername, willRetry: true });
    expect(event?.detail).to.include(words);
    const entries = await latestEntries(guild.guildId, 20);
    const refused = entries.filter(({ action }) => action === 'member.refused');
    expect(refused).to.have.length(1);
    expect(refused[0]?.changes?.refused?.to).to.equal(person.gameUsername);
    expect(refused[0]?.changes?.detail?.to).to.include(words);
  });

  it('A person with one role that Discord refuses gets the other role and the nickname, and the sync names the role', async () => {
    const [sealed = '', given = ''] = roleIds;
    seal(sealed);
    const done = await verify();
    expect(done).to.deep.include({ added: [given], nickname: person.gameUsername });
    const [blocked] = done.blocked;
    expect(blocked).to.include({ roleId: sealed, reason: 'refused_by_discord', roleName: 'verified 0' });
    expect(blocked?.detail).to.include('Missing Permissions');
    expect(await rolesOf(guild, person)).to.deep.equal([given]);
    expect(nicknameOf(person)).to.equal(person.gameUsername);
  });

  it('A refused nickname is not tried again while nothing about it changes, and is reported once', async () => {
    filter(person);
    await verify();
    await listen(guild);
    discord.forgetRequests();
    const again = await sync(guild, person);
    expect(again).to.include({ nickname: undefined, nicknameBlocked: 'refused_by_discord' });
    expect(await memberWrites(guild)).to.deep.equal([]);
    expect(await dataOf(guild, 'role.sync_failed')).to.deep.equal([]);
    const entries = await latestEntries(guild.guildId, 20);
    expect(entries.filter(({ action }) => action === 'member.refused')).to.have.length(1);
  });

  it('A refused nickname is asked for again a day later, and is given once Discord takes it', async () => {
    filter(person);
    await verify();
    endFilter();
    clock.jump(21 * hourMs);
    expect(await sync(guild, person)).to.include({ nickname: person.gameUsername, nicknameBlocked: null });
    expect(await getMember(guild.guildId, person.chatUserId)).not.to.have.any.keys('refused', 'blockedBy');
  });

  // SYNC-30
  it('/update and a press ask for a refused part again after a minute, and no other sync does', async () => {
    clock.freeze(new Date());
    const [sealed = ''] = roleIds;
    seal(sealed);
    await verify();
    const { guildId, ownerId, path, api } = guild;
    const update = (byId: string) =>
      privateWords(discord.command(guildId, byId, 'update', { member: person.chatUserId }));
    const triesAfter = async (ms: number, act: () => Promise<unknown>): Promise<number> => {
      clock.advance(ms);
      discord.forgetRequests();
      await act();
      return (await memberWrites(guild)).length;
    };
    const cause = { trigger: 'rank_change', actor: systemActor('watch') } as const;
    expect(await triesAfter(minuteMs - secondMs, () => update(ownerId))).to.equal(0);
    expect(await triesAfter(secondMs, () => syncMember(guild.guild, person.chatUserId, cause))).to.equal(0);
    expect(await triesAfter(0, () => update(ownerId))).to.be.greaterThan(0);
    expect(await triesAfter(minuteMs - secondMs, () => update(person.chatUserId))).to.equal(0);
    const entries = await latestEntries(guildId, 20);
    expect(entries.filter(({ action }) => action === 'member.refused')).to.have.length(1);
    seal(sealed, false);
    expect(await triesAfter(0, () => update(person.chatUserId))).to.equal(0);
    const { body } = await api.post(`${path}/members/${person.chatUserId}/resync`);
    expect(body.blocked).to.have.length(1);
    clock.advance(secondMs);
    await update(person.chatUserId);
    expect(await rolesOf(guild, person)).to.have.members(roleIds);
  });

  it('A refused nickname is asked for again when the person is called otherwise on Discord', async () => {
    filter(person);
    await verify();
    endFilter();
    discord.renameUser(person.chatUserId, `${person.username}.new`);
    expect(await sync(guild, person)).to.include({ nickname: person.gameUsername });
  });

  it('A change of a refused role enqueues a sync of the person', async () => {
    const [sealed = ''] = roleIds;
    seal(sealed);
    await verify();
    await enqueueFreedSyncs(guild.guildId);
    expect(await pendingSyncOf(guild, person)).to.equal(undefined);
    seal(sealed, false);
    discord.moveRole(guild.guildId, sealed, 1);
    await eventually(() => pendingSyncOf(guild, person), 'the pending sync');
    await runPendingSyncs(guild.guildId);
    expect(await rolesOf(guild, person)).to.include(sealed);
  });

  it('A person gets everything but the refused role and nickname by joining again', async () => {
    await verify();
    const [sealed = '', given = ''] = roleIds;
    seal(sealed);
    filter(person);
    discord.leave(guild.guildId, person.chatUserId);
    await eventually(async () => !(await getMember(guild.guildId, person.chatUserId)).present, 'the leave');
    discord.join(guild.guildId, person.chatUserId);
    await eventually(async () => (await lastSyncOf(guild, person))?.trigger === 'join', 'the sync');
    expect(await rolesOf(guild, person)).to.deep.equal([given]);
    expect((await lastSyncOf(guild, person))?.added).to.deep.equal([given]);
    expect((await lastSyncOf(guild, person))?.blocked.map(({ roleId }) => roleId)).to.deep.equal([sealed]);
  });

  it('A refusal is in the answers to /update and /why, in …/why and in the health, with Discord’s words', async () => {
    const [sealed = ''] = roleIds;
    seal(sealed);
    filter(person);
    await verify();
    const { guildId, ownerId, path } = guild;
    for (const command of ['update', 'why'] as const) {
      const told = await privateWords(discord.command(guildId, ownerId, command, { member: person.chatUserId }));
      expect(told).to.include(words);
      expect(told).to.include('Missing Permissions');
    }
    const own = await privateWords(discord.command(guildId, person.chatUserId, 'why'));
    expect(own).not.to.include(words);
    const { body: why } = await guild.api.get(`${path}/members/${person.chatUserId}/why`);
    expect(why.nicknameRefused.detail).to.include(words);
    const roles = why.mappings.flatMap((mapping: { roles: object[] }) => mapping.roles);
    const [role] = roles.filter(({ roleId }: { roleId: string }) => roleId === sealed);
    expect(role).to.include({ blocked: 'refused_by_discord', detail: 'Missing Permissions' });
    const { body: seen } = await guild.api.get(path);
    const found = seen.health.filter(({ code }: { code: string }) => code === 'refused_by_discord');
    expect(found).to.have.length(2);
    expect(found.find((issue: { roleId?: string }) => issue.roleId === sealed)).to.include({ count: 1 });
    expect(found.find((issue: { roleId?: string }) => issue.roleId === undefined).detail).to.include(words);
  });

  it('A resync is completed and gives everyone their roles when Discord refuses all nicknames', async () => {
    const crowd = await buildResyncGuild({ count: 7, inStep: 0 });
    endFilter = discord.filterNicknames(() => words);
    for (const { chatUserId } of crowd.people) discord.setNickname(crowd.guildId, chatUserId, null);
    const done = await resync(crowd);
    expect(done).to.include({ state: 'completed', changed: 7, failed: 0 });
    for (const each of crowd.people) expect(await rolesOf(crowd, each)).to.deep.equal([crowd.memberRole]);
    const { chatUserId } = at(crowd.people, 0);
    expect((await getMember(crowd.guildId, chatUserId)).blockedBy).to.deep.equal(['refused:nickname']);
    discord.forgetRequests();
    expect(await resync(crowd)).to.include({ state: 'completed', changed: 0 });
    expect(await memberWrites(crowd)).to.deep.equal([]);
  });

  for (const tags of [
    { guild_connections: null },
    { available_for_purchase: null },
    { subscription_listing_id: '1' },
  ] as const) {
    it(`A role with the mark ${Object.keys(tags)} is known as unmanageable beforehand: Discord is not asked`, async () => {
      const own = discord.addRole(guild.guildId, { name: 'Own', tags }).id;
      const { status, body } = await guild.api.post(`${guild.path}/mappings`, {
        condition: { type: 'verified' },
        roleIds: [own],
      });
      expect({ status, code: body.code }).to.deep.equal({ status: 409, code: 'role_unmanageable' });
      const { body: roles } = await guild.api.get(`${guild.path}/roles`);
      const found = roles.data.find(({ roleId }: { roleId: string }) => roleId === own);
      expect(found).to.include({ assignable: false, reason: 'role_managed' });
    });
  }
});
