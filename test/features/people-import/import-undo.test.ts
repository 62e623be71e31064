import { expect } from 'chai';
import { Accounts, wordId } from '../../../src/features/accounts/account-model.js';
import { Members } from '../../../src/features/members/member-model.js';
import { ImportRows, PeopleImports, rowId } from '../../../src/features/people-import/people-import-model.js';
import { purgeImports } from '../../../src/features/people-import/people-import-service.js';
import { clock } from '../../../src/lib/clock.js';
import { newId, newIdAfter } from '../../../src/lib/ids.js';
import { dayMs } from '../../../src/lib/time.js';
import { runPendingSyncs } from '../../support/background.js';
import { buildMember, eventually, linkPerson, type TestPerson } from '../../support/build.js';
import { type World, world } from '../../support/world.js';
import { dataOf, listen } from '../events/listening.js';
import { buildGroupGuild, type GroupGuild, mapTo, rolesOf, setSettings } from '../sync/sync-setup.js';
import { buildDiscordAdmin } from '../team/team-setup.js';
import { pairOf, runImport } from './import-setup.js';

// PEOPLE-27, PEOPLE-28, PEOPLE-29
describe('The undo of an import of people', () => {
  let discord: World['discord'];
  let guild: GroupGuild;
  let verified: string;

  before(async () => {
    ({ discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGroupGuild();
    [verified = ''] = await mapTo(guild, { type: 'verified' });
  });

  const path = () => `${guild.path}/people/import`;
  const outsiders = (count: number): Promise<TestPerson[]> =>
    Promise.all(Array.from({ length: count }, () => buildMember(guild, { linked: false })));
  const imported = async (people: readonly TestPerson[], more: object = {}) => {
    const done = await runImport(guild, { people: people.map(pairOf), ...more });
    await runPendingSyncs(guild.guildId);
    return done;
  };
  const sendUndo = (importId: string, api = guild.api) => api.post(`${path()}/${importId}/undo`, {});
  const undone = async (importId: string, api = guild.api) => {
    const { status, body, headers } = await sendUndo(importId, api);
    expect([status, headers.get('location')], JSON.stringify(body)).to.deep.equal([202, path()]);
    const read = async () => (await guild.api.get(path())).body.import;
    await eventually(async () => (await read()).undo?.state === 'completed', 'the end of the undo');
    await runPendingSyncs(guild.guildId);
    return (await read()).undo;
  };
  const nicknameOf = ({ chatUserId }: TestPerson) => discord.member(guild.guildId, chatUserId)?.nickname;
  const wordOf = async ({ chatUserId }: TestPerson) =>
    (await Accounts.findById(wordId(chatUserId, guild.guildId)).lean())?.gameUserId;

  it('An undo takes back the accounts that an import gave, with their roles, and puts former nicknames back', async () => {
    const [named, bare] = await outsiders(2);
    if (!named || !bare) return expect.fail();
    discord.setNickname(guild.guildId, named.chatUserId, 'Chief');
    const { importId, undoableUntil, undo } = await imported([named, bare]);
    expect(undo).to.equal(null);
    expect(new Date(undoableUntil).getTime()).to.be.within(clock.epochMs() + dayMs - 60_000, clock.epochMs() + dayMs);
    expect([nicknameOf(named), nicknameOf(bare)]).to.deep.equal([named.gameUsername, bare.gameUsername]);
    await listen(guild);
    const { left, undone: count, startedBy } = await undone(importId);
    expect({ left, count, kind: startedBy.kind }).to.deep.equal({ left: [], count: 2, kind: 'bot_token' });
    for (const person of [named, bare]) {
      expect(await rolesOf(guild, person)).to.deep.equal([]);
      expect(await wordOf(person)).to.equal(undefined);
    }
    expect([nicknameOf(named), nicknameOf(bare)]).to.deep.equal(['Chief', null]);
    const told = await dataOf(guild, 'member.unlinked');
    expect(told.map(({ chatUserId, reason }) => `${chatUserId} ${reason}`)).to.have.members([
      `${named.chatUserId} admin`,
      `${bare.chatUserId} admin`,
    ]);
    const again = await sendUndo(importId);
    expect([again.status, again.body.code]).to.deep.equal([409, 'import_not_undoable']);
    const { body } = await guild.api.get(`${guild.path}/logs?action=people.import_undone`);
    expect(body.data).to.have.length(1);
    // The nickname is a human's again: no later unlink takes it.
    const stored = await Members.findOne({ guildId: guild.guildId, chatUserId: named.chatUserId });
    expect(stored).to.include({ state: 'unlinked' }).and.not.to.have.any.keys('givenNickname', 'formerNickname');
    expect((await imported([named])).counts).to.include({ imported: 1 });
  });

  it('An undo leaves people who have verified, were unlinked, are imported again or are above its author', async () => {
    const [proved, unlinked, again, above, plain] = await outsiders(5);
    if (!proved || !unlinked || !again || !above || !plain) return expect.fail();
    const admin = await buildDiscordAdmin(guild);
    const high = discord.addRole(guild.guildId, { name: 'High' }).id;
    for (const [index, roleId] of [verified, admin.roleId, high].entries())
      discord.moveRole(guild.guildId, roleId, index + 1);
    discord.setMemberRoles(guild.guildId, above.chatUserId, [high]);
    const first = await imported([proved, unlinked, again, above, plain]);
    await linkPerson(guild.guildId, proved);
    await guild.api.delete(`${guild.path}/members/${unlinked.chatUserId}/link`);
    await eventually(async () => {
      const member = discord.member(guild.guildId, above.chatUserId);
      return member?.roleIds.includes(high);
    }, 'the role');
    await imported([again]);
    const begun = await sendUndo(first.importId, admin.api);
    expect(begun.status, JSON.stringify(begun.body)).to.equal(202);
    const rows = async () => ImportRows.acrossGuilds.find({ importId: first.importId }).lean();
    await eventually(async () => (await rows()).every((row) => row.undone !== undefined), 'the undo');
    const told = new Map((await rows()).map((row) => [row.chatUserId, row.undone]));
    expect([proved, unlinked, again, above, plain].map(({ chatUserId }) => told.get(chatUserId))).to.deep.equal([
      ...['proved', 'unlinked', 'imported_again', 'above', 'undone'],
    ]);
    expect(await rolesOf(guild, proved)).to.include(verified);
    expect(await rolesOf(guild, above)).to.include(verified);
  });

  it('An undo takes back people in a later import that was cancelled or killed before it came to them', async () => {
    const people = await outsiders(2);
    const { guildId } = guild;
    const { importId } = await imported(people);
    const later = newIdAfter('pim', importId);
    for (const [n, { chatUserId, gameUserId }] of people.entries()) {
      const _id = rowId(later, chatUserId, gameUserId);
      // The second one's nickname is stored first.
      const begun = n === 1 && { nickname: null };
      await ImportRows.insert({ _id, guildId, importId: later, chatUserId, gameUserId, ...begun });
    }
    expect(await undone(importId)).to.deep.include({ undone: 2, left: [] });
    for (const person of people) expect(await wordOf(person)).to.equal(undefined);
  });

  it('An undo leaves people that a later import by another bot’s API has found known', async () => {
    const [person] = await outsiders(1);
    const { linkSources: sources } = await world();
    if (!person) return expect.fail();
    await setSettings(guild, { reveal: 'ask' });
    sources.links.set(person.chatUserId, person.gameUserId);
    const { importId } = await imported([person]);
    const again = await runImport(guild, { source: 'rover', key: sources.key });
    expect(again.counts).to.include({ known: 1 });
    const { left, undone: count } = await undone(importId);
    expect(count).to.equal(0);
    expect(left.map(({ reason }: { reason: string }) => reason)).to.deep.equal(['imported_again']);
  });

  it('A pair that the server knew before its import is no part of the undo', async () => {
    const [known, fresh] = await outsiders(2);
    if (!known || !fresh) return expect.fail();
    await imported([known]);
    const { importId } = await imported([known, fresh]);
    const { left, undone: count } = await undone(importId);
    expect({ left, count }).to.deep.equal({ left: [], count: 1 });
    expect(await rolesOf(guild, known)).to.deep.equal([verified]);
  });

  it('The undo of an earlier import is shown with its progress and its end', async () => {
    const [one, other] = await outsiders(2);
    if (!one || !other) return expect.fail();
    const { importId: earlier } = await imported([one]);
    const { importId: later } = await imported([other]);
    expect((await guild.api.get(path())).body.import).to.include({ importId: later });
    expect(await undone(earlier)).to.include({ state: 'completed', undone: 1 });
    expect((await guild.api.get(path())).body.import).to.include({ importId: earlier });
    expect(await undone(later)).to.include({ undone: 1 });
    expect((await guild.api.get(path())).body.import).to.include({ importId: later });
  });

  // PEOPLE-32
  it('An import is undone for a day only, and its pairs are then forgotten', async () => {
    const [person] = await outsiders(1);
    if (!person) return expect.fail();
    const { importId } = await imported([person]);
    const rows = () => ImportRows.acrossGuilds.countDocuments({ importId });
    expect(await rows()).to.equal(1);
    clock.advance(dayMs + 1_000);
    await purgeImports(clock.now());
    expect(await rows()).to.equal(0);
    const late = await sendUndo(importId);
    expect([late.status, late.body.code]).to.deep.equal([409, 'import_not_undoable']);
  });

  // PEOPLE-32
  it('The pairs of an import whose start was killed are forgotten after 30 days, and a running one’s are not', async () => {
    const { guildId } = guild;
    const killed = newId('pim', clock.now());
    const running = newId('pim', clock.now());
    const pair = { chatUserId: '1', gameUserId: '2' };
    for (const importId of [killed, running])
      await ImportRows.insert({ _id: rowId(importId, '1', '2'), guildId, importId, ...pair });
    await PeopleImports.acrossGuilds.collection.insertOne({ _id: running, guildId } as never);
    const rows = async () =>
      (await ImportRows.find({ guildId }, { sort: { importId: 1 } })).map(({ importId }) => importId);
    await purgeImports(clock.now());
    expect(await rows()).to.have.members([killed, running]);
    clock.advance(30 * dayMs + 1_000);
    await purgeImports(clock.now());
    expect(await rows()).to.deep.equal([running]);
  });

  it('Another server’s import of people, and a running one, can’t be undone', async () => {
    const [person] = await outsiders(1);
    const { linkSources: sources } = await world();
    if (!person) return expect.fail();
    const { importId } = await imported([person]);
    const other = await buildGroupGuild();
    const strange = await other.api.post(`${other.path}/people/import/${importId}/undo`, {});
    expect([strange.status, strange.body.code]).to.deep.equal([404, 'import_not_found']);
    await outsiders(1);
    sources.faults.push({ status: 429, headers: { 'retry-after': '60' } });
    const { body: shown } = await guild.api.post(path(), { source: 'rover', key: sources.key });
    const wish = { source: 'rover', key: sources.key, dryRun: false, reviewKey: shown.reviewKey };
    const running = await guild.api.post(path(), wish);
    for (const id of [importId, running.body.importId])
      expect((await sendUndo(id)).body.code).to.equal('import_running');
    await guild.api.delete(path());
    sources.faults.length = 0;
  });

  // PEOPLE-30
  it('People of an import keep their nicknames where it says so, until they verify', async () => {
    const [person] = await outsiders(1);
    if (!person) return expect.fail();
    discord.setNickname(guild.guildId, person.chatUserId, 'Chief');
    const { body } = await guild.api.post(path(), { people: [pairOf(person)], nicknames: 'keep' });
    expect(body.effects).to.include({ gain: 1, renamed: 0 });
    expect(await imported([person], { nicknames: 'keep' })).to.include({ nicknames: 'keep' });
    expect(await rolesOf(guild, person)).to.deep.equal([verified]);
    expect(nicknameOf(person)).to.equal('Chief');
    await imported([person], { nicknames: 'set' });
    expect(nicknameOf(person)).to.equal(person.gameUsername);
    await imported([person], { nicknames: 'keep' });
    discord.setNickname(guild.guildId, person.chatUserId, 'Boss');
    await setSettings(guild, {});
    expect((await imported([person])).counts).to.include({ known: 1 });
    expect(nicknameOf(person)).to.equal('Boss');
    await linkPerson(guild.guildId, person);
    await runPendingSyncs(guild.guildId);
    expect(nicknameOf(person)).to.equal(person.gameUsername);
  });
});
