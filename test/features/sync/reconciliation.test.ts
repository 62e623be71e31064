import { expect } from 'chai';
import { systemActor } from '../../../src/core/actors/actor.js';
import { GuildRecord } from '../../../src/core/guilds/guild-model.js';
import { Members } from '../../../src/features/members/member-model.js';
import { findMember, memberLeft } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { keepPresence, storedInRange } from '../../../src/features/members/page-presence.js';
import { Plans, type StoredPlan } from '../../../src/features/sync/plan/plan-model.js';
import { startReconciliations } from '../../../src/features/sync/resync/resync-schedule.js';
import { withPromptSyncs } from '../../support/background.js';
import {
  buildGuild,
  buildPerson,
  eventually,
  forgetPending,
  linkPerson,
  skipReconciliations,
  type TestPerson,
  tokenFor,
} from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { caughtUp, enqueueNow } from './reconciliation-setup.js';
import { buildResyncGuild, resyncEntries } from './resync-setup.js';
import { buildGroupGuild, buildSettledMember, type GroupGuild, mapTo, rolesOf, setSettings } from './sync-setup.js';

// RESYNC-28, RESYNC-30
describe('Catching up', () => {
  withPromptSyncs();
  let discord: World['discord'];
  let guild: GroupGuild;
  let verified: string;
  let unverified: string;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
    [unverified = ''] = await mapTo(guild, { type: 'unverified' });
  });
  afterEach(() => skipReconciliations());

  const memberOf = ({ chatUserId }: TestPerson) => findMember(guild.guildId, chatUserId);
  /** A present person after a join that the service has missed. */
  const joinUnreported = async (isKnown = true) => {
    const person = await buildPerson();
    if (isKnown) await linkPerson(null, person);
    discord.join(guild.guildId, person.chatUserId);
    await eventually(async () => {
      const member = await memberOf(person);
      return member?.owedSync === undefined && member?.syncs.some(({ trigger }) => trigger === 'join');
    }, 'the sync');
    await Members.remove({ guildId: guild.guildId, chatUserId: person.chatUserId });
    discord.setMemberRoles(guild.guildId, person.chatUserId, []);
    return person;
  };

  it('A reconciliation links and syncs known people after unseen joins, and a later proof elsewhere reaches strangers too', async () => {
    const [known, stranger] = [await joinUnreported(), await joinUnreported(false)];
    await enqueueNow(guild);
    await caughtUp(guild);
    expect(await memberOf(known)).to.include({ state: 'linked', present: true, gameUserId: known.gameUserId });
    expect(await rolesOf(guild, known)).to.deep.equal([verified]);
    expect((await memberOf(known))?.owedSync).to.equal(undefined);
    expect(await memberOf(stranger)).to.include({ state: 'joined', present: true });
    expect(await rolesOf(guild, stranger)).to.deep.equal([unverified]);
    // A proof elsewhere reaches them here.
    await linkPerson(null, stranger);
    await eventually(async () => (await rolesOf(guild, stranger))?.includes(verified), 'the role');
  });

  it('A reconciliation links no one when links are off, an admin has blocked them, or the account is too young', async () => {
    const blocked = await buildSettledMember(guild);
    await unlinkMember(guild.guild, blocked.chatUserId, systemActor('test'));
    const [known, young] = [await joinUnreported(), await joinUnreported()];
    await setSettings(guild, { autoLinkOnJoin: false });
    await enqueueNow(guild);
    await caughtUp(guild);
    expect(await memberOf(known)).to.include({ state: 'joined' });
    const verification = { enabled: true, methods: ['profile_code' as const], minimumAccountAgeDays: 3_650 };
    await setSettings(guild, { verification });
    await enqueueNow(guild);
    await caughtUp(guild);
    expect(await memberOf(young)).to.include({ state: 'joined' });
    await setSettings(guild, {});
    await enqueueNow(guild);
    await caughtUp(guild);
    expect(await memberOf(known)).to.include({ state: 'linked' });
    expect(await memberOf(blocked)).to.include({ state: 'unlinked' });
  });

  it('A reconciliation marks unseen leaves, keeps the links, and finds returned members', async () => {
    const [leaver, returner] = [await buildSettledMember(guild), await buildSettledMember(guild)];
    const at = (person: TestPerson) => ({ guildId: guild.guildId, chatUserId: person.chatUserId });
    discord.leave(guild.guildId, leaver.chatUserId);
    await eventually(async () => (await memberOf(leaver))?.present === false, 'the leaving');
    await Members.update(at(leaver), { $set: { present: true, presenceAt: new Date(0) } });
    await Members.update(at(returner), { $set: { present: false, presenceAt: new Date(0) } });
    await enqueueNow(guild);
    await caughtUp(guild);
    expect(await memberOf(leaver)).to.include({ state: 'linked', present: false });
    expect(await memberOf(returner)).to.include({ state: 'linked', present: true });
  });

  it('The bot’s return to a guild enqueues a reconciliation, and makes pending syncs due', async () => {
    const { guildId } = guild;
    const person = await buildSettledMember(guild);
    discord.setMemberRoles(guildId, person.chatUserId, []);
    discord.removeBot(guildId);
    await eventually(async () => !(await GuildRecord.exists({ _id: guildId, present: true })), 'the leaving');
    expect(await GuildRecord.findById(guildId).lean()).not.to.have.property('catchUpAt');
    const token = await tokenFor(guildId, 'owner');
    expect(token).to.be.a('string');
    const joiner = await buildPerson();
    await linkPerson(null, joiner);
    discord.join(guildId, joiner.chatUserId);
    discord.addBot(guildId);
    discord.moveRole(guildId, discord.botRole(guildId).id, 9);
    await caughtUp(guild);
    for (const one of [person, joiner]) await eventually(async () => (await rolesOf(guild, one))?.includes(verified));
  });

  // RESYNC-33
  it('A reconciliation leaves nothing in the log when there was nothing to do', async () => {
    await buildSettledMember(guild);
    discord.setMemberRoles(guild.guildId, guild.ownerId, [unverified]);
    await enqueueNow(guild);
    const { job } = await caughtUp(guild);
    expect(job).to.include({ state: 'completed', quiet: true });
    expect(await resyncEntries(guild.guildId)).to.deep.equal([]);
    expect((await GuildRecord.findById(guild.guildId).lean())?.caughtUpAt).to.deep.equal(job.createdAt);
  });

  // RESYNC-31
  it('A reconciliation is completed only by a whole resync that began after it was enqueued', async () => {
    const [known] = [await joinUnreported()];
    const catchUpSince = new Date(Date.now() + 60_000);
    await GuildRecord.updateOne({ _id: guild.guildId }, { $set: { catchUpSince, catchUpAt: catchUpSince } });
    const { body } = await guild.api.post(`${guild.path}/resync`, {});
    const isPending = async () => (await GuildRecord.findById(guild.guildId).lean())?.catchUpSince !== undefined;
    await eventually(async () => (await rolesOf(guild, known))?.includes(verified), `the resync ${body.jobId}`);
    await eventually(async () => (await GuildRecord.findById(guild.guildId).lean())?.caughtUpAt, 'the note');
    expect(await isPending()).to.equal(true);
    await enqueueNow(guild);
    await guild.api.post(`${guild.path}/resync`, {});
    await eventually(async () => !(await isPending()), 'the payment');
  });

  it('A preview plans people after unseen joins as a reconciliation does, writes nothing, and can be applied', async () => {
    const person = await joinUnreported();
    const { body } = await guild.api.post(`${guild.path}/sync/preview`, {});
    const shown = body.members.find(({ memberId }: { memberId: string }) => memberId === person.chatUserId);
    expect(shown).to.deep.include({ gameUsername: person.gameUsername, add: [verified] });
    expect(await memberOf(person)).to.equal(null);
    const started = await guild.api.post(`${guild.path}/resync`, { previewId: body.previewId });
    expect(started.status, JSON.stringify(started.body)).to.equal(202);
    const ended = async () => (await Plans.findOne({ _id: started.body.jobId, guildId: guild.guildId }))?.finishedAt;
    await eventually(ended, 'the end of the resync');
    expect(await Plans.findOne({ _id: started.body.jobId, guildId: guild.guildId })).to.deep.include({
      state: 'completed',
    });
    expect(await rolesOf(guild, person)).to.include(verified);
    expect(await memberOf(person)).to.include({ state: 'linked' });
  });

  // RESYNC-29
  it('The gateway outranks a page of members about joins and leaves during its reading', async () => {
    const { guildId } = guild;
    const [leaver, stranger] = [await buildSettledMember(guild), await buildPerson()];
    const askedAt = new Date(Date.now() - 1);
    const people = [leaver, stranger, { chatUserId: guild.ownerId, username: 'owner' }];
    for (const person of [leaver, stranger]) await memberLeft(guildId, person);
    const page = { guildId, after: '0', next: null, people, askedAt };
    const before = new Map([...(await storedInRange(page))].filter(([id]) => id !== stranger.chatUserId));
    await keepPresence(page, before, true);
    for (const person of [leaver, stranger]) expect(await memberOf(person)).to.include({ present: false });
  });
});

describe('The presence of many people', () => {
  withPromptSyncs();
  it('Presence is kept page by page, in the order of ids as numbers and not as letters', async () => {
    const guildId = '930000000000000001';
    const ids = ['99999999999999998', '99999999999999999', '100000000000000000', '999999999999999999'].concat(
      '1000000000000000000',
      '9999999999999999999',
      '10000000000000000000',
      '18446744073709551615',
    );
    const people = ids.map((chatUserId) => ({ chatUserId, username: 'someone' }));
    const all = { guildId, after: '0', next: null, people, askedAt: new Date() };
    await keepPresence(all, new Map(), true);
    for (let from = -1; from < ids.length; from += 1) {
      for (let to = from + 1; to <= ids.length; to += 1) {
        const [after, next] = [ids[from] ?? '0', ids[to] ?? null];
        const among = [...(await storedInRange({ guildId, after, next })).keys()];
        expect(new Set(among), `${after} to ${next}`).to.deep.equal(new Set(ids.slice(from + 1, to + 1)));
      }
    }
    await Members.acrossGuilds.deleteMany({ guildId });
  });

  it('The presence of 20,000 stored people is read in pages, and no one is skipped', async () => {
    const guildId = '930000000000000002';
    const people = Array.from({ length: 20_000 }, (_, n) => ({
      chatUserId: String(99_999_999_999_990_000n + BigInt(n)),
      username: `p${n}`,
    }));
    const pageOf = (from: number, there = people.slice(from, from + 1_000)) => ({
      guildId,
      after: people[from - 1]?.chatUserId ?? '0',
      next:
        people[from + 999]?.chatUserId === people.at(-1)?.chatUserId ? null : (people[from + 999]?.chatUserId ?? null),
      people: there,
      askedAt: new Date(Date.now() + 60_000),
    });
    const keep = async (left: number) => {
      for (let from = 0; from < people.length; from += 1_000) {
        const page = pageOf(from, people.slice(from + left, from + 1_000));
        await keepPresence(page, await storedInRange(page), true);
      }
      return Members.acrossGuilds.countDocuments({ guildId, present: true });
    };
    expect(await keep(0)).to.equal(20_000);
    await Members.acrossGuilds.updateMany({ guildId }, { $set: { presenceAt: new Date(0) } });
    expect(await keep(1)).to.equal(19_980);
    await Members.acrossGuilds.deleteMany({ guildId });
  });
});

describe('Many pending reconciliations', () => {
  // RESYNC-32
  it('Twenty reconciliations run at the same time, those of the guilds with the longest wait', async () => {
    const { discord } = await world();
    await forgetPending();
    const guildIds: string[] = [];
    while (guildIds.length < 22) guildIds.push((await buildGuild()).guildId);
    // The last guild waits longest.
    for (const [index, guildId] of guildIds.entries()) {
      const since = new Date(Date.now() - (index + 1) * 60_000);
      await GuildRecord.updateOne({ _id: guildId }, { $set: { catchUpSince: since, catchUpAt: since } });
    }
    const letGo = discord.inject({ match: /^GET .*\/guilds\/\d+\/members$/, held: true });
    const running = async () =>
      (await Plans.acrossGuilds.find({ open: true }).lean<StoredPlan[]>()).map(({ guildId }) => guildId);
    const { signal } = new AbortController();
    for (let times = 0; times < 2; times += 1) await startReconciliations(signal);
    expect(await running()).to.have.members(guildIds.slice(2));
    letGo();
    await eventually(async () => (await running()).length === 0, 'the end of the first');
    await startReconciliations(signal);
    const later = async () => (await Plans.acrossGuilds.find({ guildId: guildIds[0] ?? '' }).lean()).length;
    await eventually(async () => (await later()) === 1, 'the last');
  });
});

describe('Resyncs of a part', () => {
  withPromptSyncs();
  // RESYNC-1, RESYNC-2
  it('A resync of a part delays no whole resync, and is answered by it', async () => {
    const guild = await buildResyncGuild({ count: 3, inStep: 0 });
    const { discord } = await world();
    const end = discord.inject({ match: new RegExp(`guilds/${guild.guildId}/members`), held: true });
    const memberIds = guild.people.slice(0, 1).map(({ chatUserId }) => chatUserId);
    const start = async (body: object) => (await guild.api.post(`${guild.path}/resync`, body)).body.jobId as string;
    const part = await start({ memberIds });
    const whole = await start({});
    expect(whole).not.to.equal(part);
    expect(await start({ memberIds })).to.equal(whole);
    expect(await start({})).to.equal(whole);
    end();
    for (const person of guild.people) {
      await eventually(async () => (await rolesOf(guild, person))?.includes(guild.memberRole), 'the role');
    }
  });
});
