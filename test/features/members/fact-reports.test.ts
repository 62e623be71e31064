import { expect } from 'chai';
import mongoose, { type mongo } from 'mongoose';
import { chatUser, systemActor } from '../../../src/core/actors/actor.js';
import { reportFacts } from '../../../src/features/members/fact-reports.js';
import { Members } from '../../../src/features/members/member-model.js';
import { markAbsent, markPresent } from '../../../src/features/members/member-service.js';
import { unlinkMember } from '../../../src/features/members/member-unlinks.js';
import { onSyncPending } from '../../../src/features/members/pending-syncs.js';
import { clock } from '../../../src/lib/clock.js';
import { hourMs } from '../../../src/lib/time.js';
import { api, asPerson } from '../../support/api.js';
import {
  buildGuild,
  buildMember,
  buildPerson,
  eventually,
  linkPerson,
  type TestGuild,
  type TestPerson,
  tokenFor,
} from '../../support/build.js';
import { mapTo } from '../sync/sync-setup.js';

type Facts = Record<string, unknown>;

// FACT-1, FACT-2
describe('Facts that a game reports', () => {
  let guild: TestGuild;
  let person: TestPerson;

  beforeEach(async () => {
    guild = await buildGuild();
    person = await buildMember(guild);
  });
  afterEach(() => clock.restore());

  const report = (facts: Facts, { gameUserId } = person, caller = guild.api, path = guild.path) =>
    caller.put(`${path}/facts`, { people: [{ gameUserId, facts }] });
  const factsIn = async ({ guildId }: TestGuild, { chatUserId } = person): Promise<Facts | undefined> => {
    const member = await Members.findOne({ guildId, chatUserId });
    return member?.facts && Object.fromEntries(member.facts.values.map(({ key, value }) => [key, value]));
  };

  // FACT-4
  it('Facts are stored key by key for linked players, in the order asked, and null removes one', async () => {
    const stranger = await buildPerson();
    const people = [
      { gameUserId: stranger.gameUserId, facts: { level: 1 } },
      { gameUserId: person.gameUserId, facts: { level: 12, owns_pass: true, clan: 'Red' } },
    ];
    const { status, body } = await guild.api.put(`${guild.path}/facts`, { people });
    expect(status).to.equal(200);
    expect(body.data).to.deep.equal([
      { gameUserId: stranger.gameUserId, status: 'not_linked' },
      { gameUserId: person.gameUserId, status: 'stored' },
    ]);
    expect((await report({ level: 13.5, clan: null, old: null })).status).to.equal(200);
    expect(await factsIn(guild)).to.deep.equal({ owns_pass: true, level: 13.5 });
    await report({ level: null, owns_pass: null });
    expect(await factsIn(guild)).to.equal(undefined);
    await linkPerson(guild.guildId, stranger);
    expect(await factsIn(guild, stranger), 'facts before the link').to.equal(undefined);
  });

  // FACT-3
  it('Entries of a report about one player count together, the later first; a repeated report changes nothing', async () => {
    const { gameUserId } = person;
    const people = [
      { gameUserId, facts: { level: 1, clan: 'Red' } },
      { gameUserId, facts: { level: 2 } },
    ];
    for (const _ of [1, 2]) {
      const { body } = await guild.api.put(`${guild.path}/facts`, { people });
      expect(body.data.map(({ status }: { status: string }) => status)).to.deep.equal(['stored', 'stored']);
      expect(await factsIn(guild)).to.deep.equal({ level: 2, clan: 'Red' });
    }
  });

  // FACT-12
  it('The age of a fact is that of its last report', async () => {
    await report({ level: 1 });
    clock.advance(hourMs);
    const since = clock.now().toISOString();
    await report({ level: 1 });
    const { body } = await guild.api.get(`${guild.path}/members/${person.chatUserId}`);
    expect(body.facts[0]).to.include({ key: 'level', value: 1 });
    expect(body.facts[0].reportedAt >= since).to.equal(true);
  });

  // FACT-3
  it('A person has at most 20 facts, and an entry beyond that is refused alone', async () => {
    const many = (from: number) => Object.fromEntries(Array.from({ length: 20 }, (_, n) => [`key_${from + n}`, n]));
    const other = await buildMember(guild);
    await report(many(0));
    const people = [
      { gameUserId: person.gameUserId, facts: { one_more: 1, key_0: 100 } },
      { gameUserId: other.gameUserId, facts: { level: 1 } },
    ];
    const { body } = await guild.api.put(`${guild.path}/facts`, { people });
    expect(body.data.map(({ status }: { status: string }) => status)).to.deep.equal(['too_many_facts', 'stored']);
    expect(await factsIn(guild)).to.deep.equal(many(0));
    expect((await report({ one_more: 1, key_0: null })).body.data[0].status).to.equal('stored');
  });

  it('Names, values and sizes that are no facts are refused whole', async () => {
    const refused: unknown[] = [
      ...[{ ownsPass: true }, { 'a.b': 1 }, { $set: 1 }, { '': 1 }, { ['a'.repeat(33)]: 1 }, { ключ: 1 }],
      ...[{ a: Number.MAX_SAFE_INTEGER + 2 }, { a: 'x'.repeat(65) }, { a: 'two\nlines' }, { a: 'nul\u0000' }],
      ...[{ a: '\ud800' }, { a: {} }, { a: [1] }, { a: { $gt: 1 } }, {}, null, [], 'text'],
      Object.fromEntries(Array.from({ length: 21 }, (_, n) => [`key_${n}`, n])),
    ];
    for (const facts of refused) {
      const { status } = await report(facts as Facts);
      expect(status, JSON.stringify(facts)).to.equal(400);
    }
    const { gameUserId } = person;
    const raw = (facts: string) => `{"people":[{"gameUserId":"${gameUserId}","facts":${facts}}]}`;
    for (const facts of ['{"__proto__": 1}', '{"__proto__": {"level": 1}, "level": 1}', '{"a": 1e999}', '{"a": NaN}']) {
      const { status } = await guild.api.request('PUT', `${guild.path}/facts`, { body: raw(facts) });
      expect(status, facts).to.equal(400);
    }
    const entry = { gameUserId, facts: { level: 1 } };
    for (const people of [
      [],
      Array.from({ length: 101 }, () => entry),
      [{ ...entry, more: 1 }],
      [{ ...entry, gameUserId: '0' }],
    ])
      expect((await guild.api.put(`${guild.path}/facts`, { people })).status).to.equal(400);
    expect(await factsIn(guild)).to.equal(undefined);
  });

  it('Names of built-in properties are plain names of facts', async () => {
    await report({ constructor: 1, prototype: 'x', hasownproperty: true, tostring: 0 });
    expect(await factsIn(guild)).to.deep.equal({ constructor: 1, prototype: 'x', hasownproperty: true, tostring: 0 });
    const { body } = await guild.api.get(`${guild.path}/members/${person.chatUserId}/why`);
    expect(body.facts.map(({ key }: { key: string }) => key)).to.include.members(['constructor', 'prototype']);
  });

  // FACT-7
  it('Facts stay in the server of their game, and end when the person is unlinked or uses another account', async () => {
    const other = await buildGuild();
    await buildMember(other, { person });
    await report({ level: 12 });
    expect(await factsIn(other)).to.equal(undefined);
    expect((await report({ level: 1 }, person, other.api)).status, 'another server').to.equal(404);
    const elsewhere = await other.api.get(`${other.path}/members/${person.chatUserId}`);
    expect(elsewhere.body.facts).to.deep.equal([]);
    await guild.api.delete(`${guild.path}/members/${person.chatUserId}/link`);
    expect(await factsIn(guild)).to.equal(undefined);
    expect((await report({ level: 12 })).body.data[0].status).to.equal('not_linked');
    await linkPerson(guild.guildId, person);
    expect(await factsIn(guild)).to.equal(undefined);
    await report({ level: 12 });
    const { gameUserId, gameUsername } = await buildPerson();
    await linkPerson(guild.guildId, { ...person, gameUserId, gameUsername });
    expect(await factsIn(guild)).to.equal(undefined);
  });

  // FACT-7, PRIV-17
  it('A person exports their facts, and an erasure takes them', async () => {
    await report({ level: 12, clan: 'Red' });
    const self = await asPerson(person);
    const { body } = await self.get('/api/auth/me/export');
    const membership = body.memberships.find(({ guildId }: { guildId: string }) => guildId === guild.guildId);
    expect(membership.facts.map(({ key, value }: Facts) => [key, value])).to.deep.equal([
      ['clan', 'Red'],
      ['level', 12],
    ]);
    expect((await self.delete('/api/auth/me')).status).to.be.within(200, 299);
    await eventually(async () => (await factsIn(guild)) === undefined, 'the erasure');
  });

  // FACT-5
  it('Reports about the same people at once lose no fact', async () => {
    const keys = Array.from({ length: 5 }, (_, n) => `key_${n}`);
    const actor = systemActor('test');
    const { gameUserId } = person;
    await Promise.all(keys.map((key) => reportFacts(guild.guild, actor, [{ gameUserId, facts: { [key]: 1 } }])));
    expect(Object.keys((await factsIn(guild)) ?? {})).to.have.members(keys);
  });

  /** Runs `work` between the reading and the writing of the next report. */
  const beforeWriting = (work: () => Promise<unknown>): void => {
    const { collection } = Members.acrossGuilds;
    const write = collection.bulkWrite;
    collection.bulkWrite = async (...given: Parameters<typeof write>) => {
      collection.bulkWrite = write;
      await work();
      return write.apply(collection, given);
    };
  };

  // FACT-4
  it('A report about a person unlinked between its reading and its writing answers that nobody uses the account', async () => {
    const other = await buildMember(guild);
    beforeWriting(() => unlinkMember(guild.guild, person.chatUserId, chatUser(guild.ownerId, 'Owner')));
    const reports = [person, other].map(({ gameUserId }) => ({ gameUserId, facts: { level: 12 } }));
    const answers = await reportFacts(guild.guild, systemActor('test'), reports);
    expect(answers.map(({ status }) => status)).to.deep.equal(['not_linked', 'stored']);
    expect([await factsIn(guild), await factsIn(guild, other)]).to.deep.equal([undefined, { level: 12 }]);
  });

  // FACT-11
  it('A person who is back between the reading and the writing of a report has their sync', async () => {
    const { guildId } = guild;
    await mapTo(guild, { type: 'fact', key: 'level', atLeast: 10 });
    await markAbsent(guildId, person.chatUserId);
    beforeWriting(() => markPresent(guildId, person.chatUserId));
    const { gameUserId } = person;
    const triggers: string[] = [];
    const end = onSyncPending((_, trigger) => void triggers.push(trigger));
    await reportFacts(guild.guild, systemActor('test'), [{ gameUserId, facts: { level: 12 } }]);
    end();
    expect(await factsIn(guild)).to.deep.equal({ level: 12 });
    expect(triggers).to.deep.equal(['fact']);
  });

  // FACT-6
  it('A fact and its pending sync are one write, and all people of a report are one command', async () => {
    const people = [person, await buildMember(guild), await buildMember(guild)];
    await mapTo(guild, { type: 'fact', key: 'level', atLeast: 10 });
    const writes: { u: { $set?: object } }[][] = [];
    const note = ({ command, commandName }: mongo.CommandStartedEvent) => {
      if (command[commandName] === 'members' && commandName === 'update') writes.push(command.updates);
    };
    const client = mongoose.connection.getClient();
    client.on('commandStarted', note);
    const reports = people.map(({ gameUserId }) => ({ gameUserId, facts: { level: 12 } }));
    await reportFacts(guild.guild, systemActor('test'), reports);
    client.off('commandStarted', note);
    const ofReport = writes.filter((updates) => updates.some(({ u: { $set = {} } }) => 'facts' in $set));
    expect(ofReport.map((updates) => updates.length)).to.deep.equal([people.length]);
    for (const { u } of ofReport.flat()) expect(Object.keys(u.$set ?? {})).to.have.members(['facts', 'owedSync']);
  });

  // FACT-8
  it('A report of facts leaves no entry in the log', async () => {
    await report({ level: 12 });
    const { body } = await guild.api.get(`${guild.path}/logs?limit=100`);
    expect(JSON.stringify(body.data)).not.to.match(/fact|level/);
  });

  // FACT-9
  it('Reports of facts by all tokens of a guild count together, apart from other requests', async () => {
    const { headers } = await report({ level: 1 }, person, api(await tokenFor(guild.guildId, 'game')));
    expect(headers.get('ratelimit-limit')).to.equal('300');
    const next = await report({ level: 1 });
    expect(Number(next.headers.get('ratelimit-remaining'))).to.equal(298);
  });

  it('Managers and games report facts; viewers, other tokens, strangers and other servers do not', async () => {
    for (const [role, expected] of [
      ['admin', 200],
      ['manager', 200],
      ['game', 200],
      ['viewer', 403],
      ['verifier', 403],
    ] as const)
      expect((await report({ level: 1 }, person, api(await tokenFor(guild.guildId, role)))).status, role).to.equal(
        expected,
      );
    expect((await report({ level: 1 }, person, api())).status).to.equal(401);
    expect((await report({ level: 1 }, person, await asPerson(person))).status).to.equal(404);
  });
});
