import { expect } from 'chai';
import { trusted } from 'mongoose';
import sinon from 'sinon';
import { config, useConfig } from '../../../src/config/config.js';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { findPresentGuild } from '../../../src/core/guilds/guild-service.js';
import { defaultSettings } from '../../../src/core/settings/guild-settings.js';
import { writeSettings } from '../../../src/core/settings/settings-service.js';
import { Accounts, wordId } from '../../../src/features/accounts/account-model.js';
import { unlinkAccount } from '../../../src/features/accounts/account-service.js';
import { Members } from '../../../src/features/members/member-model.js';
import { ImportRows, PeopleImports } from '../../../src/features/people-import/people-import-model.js';
import { isAsReviewed, type ProposedImport } from '../../../src/features/people-import/people-import-review.js';
import { eraseFromImports } from '../../../src/features/people-import/people-import-service.js';
import { wakeImport } from '../../../src/features/people-import/people-import-worker.js';
import { asPerson } from '../../support/api.js';
import { runPendingSyncs } from '../../support/background.js';
import {
  buildGuild,
  buildMember,
  buildPerson,
  eventually,
  linkPerson,
  type TestGuild,
  type TestPerson,
} from '../../support/build.js';
import { linesOf } from '../../support/logged-lines.js';
import { remembered } from '../../support/remembered-rows.js';
import { type World, world } from '../../support/world.js';
import { mapTo } from '../sync/sync-setup.js';
import { endOfImport, pairOf, runImport, startImport } from './import-setup.js';

// ID-60, PEOPLE-2 to PEOPLE-13
describe('The import of people', () => {
  let sources: World['linkSources'];
  let discord: World['discord'];
  let guild: TestGuild;
  const path = () => `${guild.path}/people/import`;

  before(async () => {
    ({ linkSources: sources, discord } = await world());
  });
  beforeEach(async () => {
    guild = await buildGuild();
  });
  afterEach(() => {
    sources.faults.length = 0;
    sources.asked.length = 0;
    sources.links.clear();
  });

  const people = (count: number): Promise<TestPerson[]> =>
    Promise.all(Array.from({ length: count }, () => buildMember(guild, { linked: false })));
  const accountOf = async ({ chatUserId }: TestPerson) =>
    (await Accounts.findById(chatUserId).lean()) ?? Accounts.findById(wordId(chatUserId, guild.guildId)).lean();

  const run = (body: object) => runImport(guild, body);

  it('A people import is a dry run at first and changes nothing', async () => {
    const [fresh, linked, other, refusing] = await people(4);
    const stranger = await buildPerson();
    if (!fresh || !linked || !other || !refusing) return expect.fail();
    await linkPerson(guild.guildId, linked);
    await linkPerson(null, other);
    const wrong = { chatUserId: other.chatUserId, gameUserId: fresh.gameUserId };
    const list = [pairOf(linked), pairOf(stranger), pairOf(refusing), wrong, pairOf(fresh)];
    const { status, body } = await guild.api.post(path(), { people: list });
    expect(status).to.equal(200);
    const { seconds, reviewKey: _, effects: __, observing, otherBots, ...numbers } = body;
    expect({ observing, otherBots }).to.deep.equal({ observing: false, otherBots: [] });
    expect(numbers).to.deep.equal({
      ...{ source: 'list', total: 5, new: 1, known: 1, contradicting: 2, refused: 0, not_in_server: 1 },
    });
    expect(seconds).to.equal(1);
    expect(await accountOf(fresh)).to.equal(null);
    expect((await guild.api.get(path())).body).to.deep.equal({ import: null });
  });

  // PEOPLE-17
  it('A list is imported only with the key of the numbers that were shown of it', async () => {
    const [first, second] = await people(2);
    if (!first || !second) return expect.fail();
    const { reviewKey } = (await guild.api.post(path(), { people: [pairOf(first)] })).body;
    const send = (body: object) => guild.api.post(path(), { ...body, dryRun: false });
    for (const body of [
      { people: [pairOf(first)] },
      { people: [pairOf(second)], reviewKey },
      { people: [pairOf(first), pairOf(second)], reviewKey },
      { source: 'rover', key: sources.key, reviewKey },
      { source: 'rover', key: sources.key, reviewKey: 'rowifi.1' },
      { source: 'rover', key: sources.key, reviewKey: 'rover.x' },
    ]) {
      const { status, body: refused } = await send(body);
      expect([status, refused.code], JSON.stringify(body)).to.deep.equal([412, 'version_mismatch']);
    }
    await linkPerson(guild.guildId, first);
    expect((await send({ people: [pairOf(first)], reviewKey })).status).to.equal(412);
    expect((await guild.api.get(path())).body).to.deep.equal({ import: null });
  });

  // PEOPLE-14
  it('An import that is killed before its end counts nobody twice', async () => {
    const [person] = await people(1);
    const stranger = await buildPerson();
    if (!person) return expect.fail();
    const absent = sinon.stub(ImportRows.acrossGuilds, 'updateMany');
    let killed = false;
    absent.callsFake((...given) => {
      if (!JSON.stringify(given[1]).includes('not_in_server'))
        return absent.wrappedMethod.apply(ImportRows.acrossGuilds, given);
      absent.restore();
      killed = true;
      throw new Error('killed');
    });
    const { body } = await startImport(guild, { people: [pairOf(person), pairOf(stranger)] });
    await eventually(() => killed, 'the kill').finally(sinon.restore);
    wakeImport(body.importId);
    const { state, counts } = await endOfImport(guild);
    expect(state).to.equal('completed');
    expect(counts).to.include({ done: 2, imported: 1, not_in_server: 1 });
  });

  it('A list gives people accounts that count in this server only, and roles by them', async () => {
    const [person] = await people(1);
    if (!person) return expect.fail();
    const [roleId = ''] = await mapTo(guild, { type: 'verified' });
    const text = `chatUserId,gameUserId\n${person.chatUserId},${person.gameUserId}\n`;
    const { counts, problems, state, etaSeconds } = await run({ csv: text });
    expect({ state, problems, etaSeconds }).to.deep.equal({ state: 'completed', problems: [], etaSeconds: null });
    expect(counts).to.include({ done: 1, imported: 1 });
    const { method, importedFrom, guildId } = (await accountOf(person)) ?? expect.fail();
    expect({ method, importedFrom, guildId }).to.deep.equal({
      method: 'imported',
      importedFrom: 'list',
      guildId: guild.guildId,
    });
    await runPendingSyncs(guild.guildId);
    expect(discord.member(guild.guildId, person.chatUserId)?.roleIds).to.include(roleId);
    const again = await run({ people: [pairOf(person)] });
    expect(again.counts).to.include({ imported: 0, known: 1 });
  });

  // PEOPLE-6
  it('An import takes no account away, and lists the omitted pairs with their reasons', async () => {
    const [first, second, proved, unknown] = await people(4);
    const stranger = await buildPerson();
    if (!first || !second || !proved || !unknown) return expect.fail();
    await linkPerson(null, proved);
    const nobody = { chatUserId: unknown.chatUserId, gameUserId: '999999999999' };
    const list = [
      pairOf(first),
      { chatUserId: second.chatUserId, gameUserId: first.gameUserId },
      { chatUserId: proved.chatUserId, gameUserId: second.gameUserId },
      pairOf(stranger),
      nobody,
    ];
    const { counts, problems } = await run({ people: list });
    expect(counts).to.include({ done: 5, imported: 0, contradicting: 3, not_in_server: 1, not_found: 1 });
    const told = problems.map(({ chatUserId, problem }: Record<string, string>) => `${chatUserId} ${problem}`);
    expect(told).to.have.members([
      `${first.chatUserId} contradicting`,
      `${second.chatUserId} contradicting`,
      `${proved.chatUserId} contradicting`,
      `${stranger.chatUserId} not_in_server`,
      `${unknown.chatUserId} not_found`,
    ]);
    expect((await accountOf(proved))?.gameUserId).to.equal(proved.gameUserId);
    expect(await accountOf(first)).to.equal(null);
  });

  // PEOPLE-6
  it('The answer that an import has begun names the pairs that contradict one another', async () => {
    const [first, second] = await people(2);
    if (!first || !second) return expect.fail();
    const wrong = { chatUserId: second.chatUserId, gameUserId: first.gameUserId };
    const { body } = await startImport(guild, { people: [pairOf(first), wrong] });
    expect(body.counts.contradicting).to.equal(2);
    expect(body.problems).to.have.deep.members(
      [pairOf(first), wrong].map((pair) => ({ ...pair, problem: 'contradicting' })),
    );
    await endOfImport(guild);
  });

  // PEOPLE-2
  it('Any proof by the person, and another person’s proof of the account, replaces an imported account', async () => {
    const [mine, theirs] = await people(2);
    if (!mine || !theirs) return expect.fail();
    await run({ people: [pairOf(mine), pairOf(theirs)] });
    await linkPerson(guild.guildId, mine);
    const { method, guildId } = (await accountOf(mine)) ?? expect.fail();
    expect({ method, guildId }).to.deep.equal({ method: 'profile_code', guildId: undefined });
    const owner = await buildPerson();
    await linkPerson(guild.guildId, { ...owner, gameUserId: theirs.gameUserId, gameUsername: theirs.gameUsername });
    expect((await accountOf(theirs))?.gameUserId).to.equal(undefined);
  });

  it('Where the server asks before it shows accounts, an imported account is not shown until the person agrees', async () => {
    const [person] = await people(1);
    if (!person) return expect.fail();
    await writeSettings(guild.guildId, { ...defaultSettings, reveal: 'ask' });
    await run({ people: [pairOf(person)] });
    const member = await Members.findOne({ guildId: guild.guildId, chatUserId: person.chatUserId });
    expect(member?.state).to.equal('joined');
  });

  // PEOPLE-20
  it('A member unlinked by an admin is counted as known, and no import links them again', async () => {
    const [person] = await people(1);
    if (!person) return expect.fail();
    await run({ people: [pairOf(person)] });
    const unlinked = await guild.api.post(`${guild.path}/members/unlink`, {
      members: [{ memberId: person.chatUserId }],
    });
    expect(unlinked.body.data).to.deep.equal([{ memberId: person.chatUserId, unlinked: true, reason: null }]);
    expect((await run({ people: [pairOf(person)] })).counts).to.include({ imported: 0, known: 1 });
    const { body } = await guild.api.get(`${guild.path}/members/${person.chatUserId}`);
    expect(body).to.include({ status: 'unlinked', gameUserId: null });
  });

  // PEOPLE-15
  it('An account that its person has removed is not imported again', async () => {
    const [person] = await people(1);
    if (!person) return expect.fail();
    await run({ people: [pairOf(person)] });
    await unlinkAccount(person.chatUserId, chatUser(person.chatUserId, person.username));
    const { counts, problems } = await run({ people: [pairOf(person)] });
    expect(counts).to.include({ imported: 0, refused: 1 });
    expect(problems).to.deep.equal([{ ...pairOf(person), problem: 'refused' }]);
    const marks = async () => (await remembered('refused_import', { person: person.chatUserId })).length;
    expect(await marks()).to.equal(1);
    const erased = {
      chatUserId: person.chatUserId,
      pseudonym: 'erased_1',
      requestedAt: new Date(),
      actor: systemActor('test'),
    };
    await eraseFromImports(erased);
    expect(await ImportRows.acrossGuilds.countDocuments({ chatUserId: person.chatUserId })).to.equal(0);
    expect(await marks()).to.equal(0);
  });

  for (const source of ['bloxlink', 'rover', 'rowifi'] as const) {
    it(`An import from ${source} asks for each unlinked member, obeys Retry-After, and forgets the key`, async () => {
      const [known, unknown, linked] = await people(3);
      if (!known || !unknown || !linked) return expect.fail();
      await linkPerson(guild.guildId, linked);
      sources.links.set(known.chatUserId, known.gameUserId);
      sources.faults.push(
        { status: 429, headers: { 'retry-after': '0.1' } },
        { status: 503, headers: { 'retry-after': '0' } },
      );
      const proposed = await guild.api.post(path(), { source, key: sources.key });
      expect(proposed.body).to.include({ source, contradicting: 0 });
      const { counts, state } = await run({ source, key: sources.key });
      expect(state).to.equal('completed');
      expect(counts).to.include({ imported: 1, not_in_server: 0, done: counts.imported + counts.unknown });
      expect(counts.unknown).to.be.at.least(1);
      expect(sources.asked).to.include.members([known.chatUserId, unknown.chatUserId]);
      expect(sources.asked).to.not.include(linked.chatUserId);
      expect((await accountOf(known))?.importedFrom).to.equal(source);
      const stored = await PeopleImports.findOne({ guildId: guild.guildId });
      expect(stored).to.not.have.property('sealedKey');
    });
  }

  // PEOPLE-10
  it('An import of people asks no bot that the operator has not named', async () => {
    const live = config();
    useConfig({ ...live, peopleImport: { ...live.peopleImport, from: ['rover'] } });
    try {
      for (const dryRun of [true, false]) {
        const refused = await guild.api.post(path(), { source: 'bloxlink', key: sources.key, dryRun });
        expect([refused.status, refused.body.code]).to.deep.equal([409, 'import_source_off']);
      }
    } finally {
      useConfig(live);
    }
    expect(sources.asked).to.deep.equal([]);
  });

  // PEOPLE-18
  it('An import of people asks another bot for a tenth and ten more members than a review has shown, and no more', () => {
    const isShown = (shown: number, total: number) =>
      isAsReviewed(`rover.${shown}`, { source: 'rover', total, reviewKey: `rover.${total}` } as ProposedImport);
    expect([isShown(100, 120), isShown(100, 121)]).to.deep.equal([true, false]);
    expect([isShown(0, 10), isShown(0, 11)]).to.deep.equal([true, false]);
    expect(isShown(100, 3)).to.equal(true);
  });

  // PEOPLE-6
  it('Two members to whom another bot gives one Roblox account are both left without it', async () => {
    const [one, other, third] = await people(3);
    if (!one || !other || !third) return expect.fail();
    for (const { chatUserId } of [one, other, third]) sources.links.set(chatUserId, one.gameUserId);
    const { counts, problems } = await run({ source: 'rowifi', key: sources.key });
    expect(counts).to.include({ imported: 0, contradicting: 3 });
    expect(problems).to.have.length(3);
    for (const person of [one, other, third]) expect((await accountOf(person))?.gameUserId).to.equal(undefined);
  });

  it('A refused key, and an answer that is not understood, end an import and explain why', async () => {
    await people(1);
    expect(await run({ source: 'bloxlink', key: 'another-key' })).to.include({ state: 'failed', fault: 'key_refused' });
    sources.faults.push({ status: 200, body: '{"id":"?"}' });
    expect(await run({ source: 'rover', key: sources.key })).to.include({ state: 'failed', fault: 'not_understood' });
  });

  it('An import of people tries a cut connection again', async () => {
    const [person] = await people(1);
    if (!person) return expect.fail();
    sources.links.set(person.chatUserId, person.gameUserId);
    sources.faults.push('cut');
    const { counts, state } = await run({ source: 'rowifi', key: sources.key });
    expect({ state, imported: counts.imported }).to.deep.equal({ state: 'completed', imported: 1 });
  });

  // RESYNC-57
  it('An import whose server refuses its members waits for the word that the bot has left', async () => {
    const [person] = await people(1);
    if (!person) return expect.fail();
    sources.links.set(person.chatUserId, person.gameUserId);
    const begun = await linesOf(async () => {
      const { body: shown } = await guild.api.post(path(), { source: 'rowifi', key: sources.key });
      discord.inject({
        match: new RegExp(`^GET .*/guilds/${guild.guildId}/members$`),
        times: 1,
        status: 403,
        code: 50_001,
      });
      await guild.api.post(path(), { source: 'rowifi', key: sources.key, dryRun: false, reviewKey: shown.reviewKey });
      const waiting = { guildId: guild.guildId, waitsUntil: trusted({ $exists: true }) };
      await eventually(() => PeopleImports.findOne(waiting), 'the wait');
    });
    expect(begun.filter(({ level, job }) => level >= 50 && job === 'run-people-import')).to.deep.equal([]);
    discord.removeBot(guild.guildId);
    await eventually(async () => (await findPresentGuild(guild.guildId)) === null, 'the leave');
    const { _id } = (await PeopleImports.findOne({ guildId: guild.guildId })) ?? expect.fail();
    wakeImport(_id);
    const ended = await eventually(
      () => PeopleImports.findOne({ _id, guildId: guild.guildId, state: 'failed' }),
      'the end',
    );
    expect(ended.fault).to.equal('bot_removed');
  });

  // PEOPLE-3
  it('A server runs one import at a time, which can be cancelled and forgets its key then', async () => {
    await people(3);
    sources.faults.push({ status: 429, headers: { 'retry-after': '60' } });
    const { status, headers } = await startImport(guild, { source: 'rover', key: sources.key });
    // API-19
    expect([status, headers.get('location')]).to.deep.equal([202, path()]);
    const second = await startImport(guild, { source: 'rover', key: sources.key });
    expect([second.status, second.body.code]).to.deep.equal([409, 'import_running']);
    const { body } = await guild.api.delete(path());
    expect(body.state).to.equal('cancelled');
    expect(await PeopleImports.findOne({ guildId: guild.guildId })).to.not.have.property('sealedKey');
    expect((await guild.api.delete(path())).status).to.equal(404);
  });

  // PEOPLE-3
  it('An import is for admins, and its list is refused with the line that is none', async () => {
    const person = await buildMember(guild);
    const { status } = await asPerson(person).then((api) => api.post(path(), { csv: '1,2' }));
    expect(status).to.equal(404);
    const refused = await guild.api.post(path(), { csv: 'Discord,Roblox\n80351110224678912,1\nx,2' });
    expect(refused.status).to.equal(400);
    expect(JSON.stringify(refused.body)).to.include('line 3');
  });
});
