import { expect } from 'chai';
import mongoose from 'mongoose';
import { moveDifferences } from '../../../src/platforms/database/differences-move.js';
import { deleteEmptiedRemains } from '../../../src/platforms/database/emptied-remains.js';
import { moveGuildParts } from '../../../src/platforms/database/guild-parts-move.js';
import { storeWordsByGuild } from '../../../src/platforms/database/guild-words.js';
import { nameMainAccounts } from '../../../src/platforms/database/main-accounts.js';
import { moveFormerIsOurs, movePlans, moveSwitches } from '../../../src/platforms/database/plans-move.js';
import { moveRemembered } from '../../../src/platforms/database/remembered-move.js';
import { moveRemovals } from '../../../src/platforms/database/removals-move.js';
import { world } from '../../support/world.js';

type Row = { _id: string } & Record<string, unknown>;
const rows = (name: string) => mongoose.connection.collection<Row>(name);

// ENV-22
describe('The migrations of stored plans', () => {
  before(() => world());

  // OBS-25
  it('A nickname of Rolelink before a switch is noted beside what was made, also by a second move', async () => {
    const made = { add: [], remove: [], nickname: 'New' };
    const change = { _id: 'renamed', guildId: 'renaming', planId: 'renaming', chatUserId: '7', part: 0 };
    await rows('planned_changes').insertOne({ ...change, made: { ...made, formerIsOurs: true } });
    for (const _ of ['first', 'again']) await moveFormerIsOurs();
    const moved = await rows('planned_changes').findOneAndDelete({ _id: 'renamed' });
    expect(moved).to.deep.equal({ ...change, made, formerIsOurs: true });
  });

  it('Resyncs and previews become plans with their changes, also by a move that was killed half-way', async () => {
    const asOf = new Date('2026-10-01T00:00:00Z');
    const job = { guildId: 'g', state: 'running', open: true, after: '7', fixedPlan: false };
    const who = { guildId: 'g', chatUserId: '7', asOf, dueAt: asOf, seen: { roleIds: [], nickname: null } };
    const change = { ...who, add: ['1'], remove: [], blocked: [], standing: { gameUserId: '8' } };
    const plan = { add: [], remove: ['2'], nickname: null, blocked: [] };
    const member = { chatUserId: '7', username: 'x', roleIds: ['2'], nickname: 'y' };
    const planned = { member, plan, gameUserId: '8', absentFrom: [], fence: null };
    const preview = { guildId: 'g', askedBy: '9', rulesKey: 'k', parts: 1, shown: 1, checked: 3, unknown: 0, asOf };
    const old: Record<string, Row[]> = {
      resync_jobs: [
        { _id: 'job_1', scope: 'whole', phase: 'planning', ...job },
        { _id: 'job_2', scope: 'part', state: 'completed', phase: 'applying', guildId: 'g', previewId: 'p_old' },
      ],
      resync_changes: [
        { _id: 'c_1', jobId: 'job_1', page: '0', state: 'done', ...change },
        { _id: 'c_2', jobId: 'job_1', page: '7', state: 'pending', ...change, chatUserId: '9', kicks: true },
        { _id: 'c_3', jobId: 'job_2', page: '0', state: 'pending', ...change },
      ],
      previews: [
        { _id: 'p_new', expiresAt: asOf, ...preview },
        { _id: 'p_old', expiresAt: asOf, ...preview },
        { _id: 'p_draft', expiresAt: asOf, ...preview, rulesKey: null },
      ],
      preview_members: [
        { _id: 's_1', guildId: 'g', previewId: 'p_new', part: 0, chatUserId: '7', planned, expiresAt: asOf },
        { _id: 's_2', guildId: 'g', previewId: 'p_old', part: 0, chatUserId: '7', planned, expiresAt: asOf },
      ],
    };
    for (const [name, documents] of Object.entries(old)) await rows(name).insertMany(documents);
    // As a killed run leaves it: a part is written, and its source still there.
    await rows('planned_changes').insertOne({ _id: 'c_1', guildId: 'g', planId: 'job_1', part: 0, chatUserId: '6' });
    for (const _ of ['first', 'again']) await movePlans();
    const stored = async (name: string, ids: string[]) =>
      new Map(
        (
          await rows(name)
            .find({ _id: { $in: ids } })
            .toArray()
        ).map(({ _id, ...row }) => [_id, row]),
      );
    const plans = await stored('plans', ['job_1', 'job_2', 'p_new', 'p_old', 'p_draft']);
    expect([...plans.keys()]).to.have.members(['job_1', 'job_2', 'p_new']);
    expect(plans.get('job_1')).to.deep.equal({ kind: 'whole', parts: 1, phase: 'planning', ...job });
    expect(plans.get('p_new')).to.deep.include({
      state: 'shown',
      fixedPlan: true,
      askedBy: '9',
      rulesKey: 'k',
      parts: 1,
    });
    const changes = await stored('planned_changes', ['c_1', 'c_2', 'c_3', 's_1', 's_2']);
    expect([...changes.keys()]).to.have.members(['c_1', 'c_2', 's_1']);
    const made = { add: ['1'], remove: [] };
    expect(changes.get('c_1')).to.deep.include({ planId: 'job_1', part: 0, expected: made, made, state: 'done' });
    expect(changes.get('c_2')).to.deep.include({ part: 1, expected: { ...made, kick: 'denied_user' } });
    expect(changes.get('s_1')).to.deep.include({
      ...{ planId: 'p_new', part: 0, chatUserId: '7', kind: 'edit', state: 'pending' },
      expected: { add: [], remove: ['2'], nickname: null },
    });
    const left = await mongoose.connection.listCollections();
    expect(left.map(({ name }) => name)).not.to.include.oneOf(Object.keys(old));
    for (const name of ['plans', 'planned_changes']) await rows(name).deleteMany({ guildId: 'g' });
  });

  it('Switches become plans with what they made, and their undos, also by a move that was killed half-way', async () => {
    const at = new Date('2026-10-01T00:00:00Z');
    const who = {
      guildId: 'h',
      chatUserId: '7',
      given: ['1'],
      taken: ['2'],
      nickname: 'new',
      formerNickname: 'old',
      at,
    };
    await rows('plans').insertMany([
      { _id: 'job_a', guildId: 'h', kind: 'part', state: 'completed' },
      { _id: 'job_b', guildId: 'h', kind: 'part', state: 'completed' },
    ]);
    await rows('switches').insertMany([
      { _id: 'job_a', guildId: 'h', at, state: 'made' },
      { _id: 'job_b', guildId: 'h', at, state: 'undoing', undoneBy: { kind: 'user', id: '9', name: 'x' } },
    ]);
    await rows('switched_members').insertMany([
      { _id: 'job_a 7', switchId: 'job_a', state: 'made', ...who },
      { _id: 'job_b 7', switchId: 'job_b', state: 'made', ...who },
      { _id: 'job_b 8', switchId: 'job_b', state: 'undone', ...who, chatUserId: '8' },
      { _id: 'job_b 9', switchId: 'job_b', state: 'kept', ...who, chatUserId: '9' },
    ]);
    // As a killed run leaves it: a part is written, and its source still there.
    await rows('planned_changes').insertOne({
      _id: 'x',
      guildId: 'h',
      planId: 'job_a',
      chatUserId: '7',
      state: 'done',
    });
    for (const _ of ['first', 'again']) await moveSwitches();
    const plans = await rows('plans').find({ guildId: 'h' }).sort({ _id: 1 }).toArray();
    expect(plans.map(({ _id, goesLive, liveAt, open, undoes }) => [_id, goesLive, liveAt, open, undoes])).to.deep.equal(
      [
        ['job_a', true, at, undefined, undefined],
        ['job_b', true, at, undefined, undefined],
        ['job_b_undo', undefined, undefined, true, 'job_b'],
      ],
    );
    const changes = await rows('planned_changes').find({ guildId: 'h' }).sort({ planId: 1, chatUserId: 1 }).toArray();
    expect(changes.map(({ planId, chatUserId, state }) => `${planId} ${chatUserId} ${state}`)).to.deep.equal([
      ...['job_a 7 done', 'job_b 7 done', 'job_b 8 done', 'job_b 9 done'],
      ...['job_b_undo 7 pending', 'job_b_undo 8 done', 'job_b_undo 9 skipped'],
    ]);
    expect(changes[0]).to.deep.include({ made: { add: ['1'], remove: ['2'], nickname: 'new' } });
    expect(changes[4]).to.deep.include({
      expected: { add: ['2'], remove: ['1'], nickname: 'old' },
      seen: { roleIds: [], nickname: 'new' },
    });
    for (const name of ['plans', 'planned_changes']) await rows(name).deleteMany({ guildId: 'h' });
  });

  it('Differences of members become planned changes, also by a move that was killed half-way', async () => {
    const since = new Date('2026-10-01T00:00:00Z');
    const reasons = [{ roleId: '1', code: 'meets_rule' }];
    const former = { give: ['1'], take: [], nickname: null, reasons, about: ['1', 'meets_rule'], since };
    const members = mongoose.connection.collection('members');
    const who = { guildId: 'd', chatUsername: 'x', state: 'joined', present: true };
    await members.insertMany([
      { ...who, chatUserId: '7', difference: former, syncFence: 5 },
      { ...who, chatUserId: '8', difference: former },
      { ...who, chatUserId: '9' },
    ]);
    // As a killed run leaves it: the change is written, and the member not flagged yet.
    const killed = { _id: 'x', guildId: 'd', planId: 'observed_d', chatUserId: '8', state: 'pending' };
    await rows('planned_changes').insertOne(killed);
    for (const _ of ['first', 'again']) await moveDifferences();
    const flags = await members.find({ guildId: 'd' }).sort({ chatUserId: 1 }).toArray();
    expect(flags.map(({ differs, difference }) => [differs, difference])).to.deep.equal([
      [true, undefined],
      [true, undefined],
      [undefined, undefined],
    ]);
    const changes = await rows('planned_changes').find({ guildId: 'd' }).sort({ chatUserId: 1 }).toArray();
    expect(changes.map(({ chatUserId }) => chatUserId)).to.deep.equal(['7', '8']);
    expect(changes[0]).to.deep.include({ expected: { add: ['1'], remove: [], nickname: null }, fence: 5 });
    expect(changes[0]?.observed).to.deep.equal({ reasons, about: ['any', '1', 'meets_rule'], since });
    for (const name of ['members', 'planned_changes']) await rows(name).deleteMany({ guildId: 'd' });
  });
});

describe('The migrations of stored accounts', () => {
  before(() => world());

  // ID-93
  it('The one account of a person becomes their main one, also by a run that was killed half-way', async () => {
    const [linkedAt, later] = [new Date('2026-10-01T00:00:00Z'), new Date('2026-11-01T00:00:00Z')];
    const proof = { gameUserId: '7101', method: 'oauth', linkedAt };
    const accounts = [
      { _id: 'main-1', ...proof },
      { _id: 'main-2', ...proof, gameUserId: '7102', mainSince: later },
      // A further account is younger than this version: it is no main account, also if the version's mark is lost.
      { _id: 'main-2@2', ...proof, gameUserId: '7105' },
      { _id: 'main-3@1', ...proof, guildId: '1' },
      { _id: 'main-4', unsettled: { since: linkedAt } },
    ];
    await rows('accounts').insertMany(accounts);
    for (const _ of ['first', 'again']) await nameMainAccounts();
    const ours = { _id: { $in: accounts.map(({ _id }) => _id) } };
    const named = await rows('accounts').find(ours).sort({ _id: 1 }).toArray();
    await rows('accounts').deleteMany(ours);
    expect(named.map(({ mainSince }) => mainSince)).to.deep.equal([linkedAt, later, undefined, undefined, undefined]);
  });

  it('Accounts on the word of servers become one word a server, also by a move that was killed half-way', async () => {
    const linkedAt = new Date('2026-10-01T00:00:00Z');
    const game = { gameUserId: '7001', gameUsername: 'Ada', importedFrom: 'list', linkedAt };
    const former = { _id: 'word-person', ...game, method: 'imported', onlyIn: ['word-1', 'word-2'], outbox: [] };
    const proof = { _id: 'proof-person', gameUserId: '7002', method: 'oauth', linkedAt };
    const member = (guildId: string) => ({
      _id: `${guildId} word-person`,
      ...{ guildId, chatUserId: 'word-person', gameUserId: '7001', state: 'linked' },
    });
    const importer = { kind: 'user', id: 'importer', name: 'importer' };
    const wordIn = (guildId: string, chatUserId: string | null) => ({
      _id: `word-person@${guildId}`,
      ...game,
      ...{ guildId, method: 'imported', voucher: { chatUserId, ceilingRoleId: null } },
    });
    const ids = ['word-person', 'proof-person', 'word-person@word-1', 'word-person@word-2'];
    // A kill came after the first word.
    await rows('accounts').insertMany([former, proof, wordIn('word-1', 'importer')] as Row[]);
    await rows('members').insertMany(['word-1', 'word-2'].map(member) as Row[]);
    await rows('people_imports').insertOne({ _id: 'pim_words', guildId: 'word-1', actor: importer });
    await rows('remembered').insertOne({
      _id: 'refused word-person',
      ...{ kind: 'refused_import', person: 'word-person', value: { gameUserId: '7003' } },
    });
    for (const _ of ['first', 'again']) await storeWordsByGuild();

    const accounts = await rows('accounts')
      .find({ _id: { $in: ids } })
      .sort({ _id: 1 })
      .toArray();
    const [kept, person, ...words] = accounts;
    expect(kept).to.deep.equal(proof);
    expect(person).to.have.all.keys('_id', 'outbox', 'unsettled');
    expect(words).to.deep.equal([wordIn('word-1', 'importer'), wordIn('word-2', null)]);
    const members = await rows('members').find({ chatUserId: 'word-person' }).sort({ guildId: 1 }).toArray();
    expect(members.map(({ state, word }) => [state, word])).to.deep.equal(
      words.map(({ method, importedFrom, voucher }) => ['linked', { method, importedFrom, voucher }]),
    );
    const refusals = await rows('remembered').find({ person: 'word-person' }).sort({ guildId: 1 }).toArray();
    expect(refusals.map(({ _id, guildId }) => [_id, guildId])).to.deep.equal(
      ['word-1', 'word-2'].map((guildId) => [`refused_import ${guildId} word-person 7003`, guildId]),
    );
    await Promise.all([
      rows('accounts').deleteMany({ _id: { $in: ids } }),
      rows('members').deleteMany({ chatUserId: 'word-person' }),
      rows('remembered').deleteMany({ person: 'word-person' }),
      rows('people_imports').deleteOne({ _id: 'pim_words' }),
    ]);
  });
});

describe('The migrations of what a guild stores', () => {
  before(() => world());

  it('Emptied remains of removed documents are deleted, and filled ones wait for the relay', async () => {
    const removedAt = new Date();
    const outbox = [{ id: 'log_1', createdAt: removedAt }];
    await rows('groups').insertMany([
      { _id: 'emptied', guildId: 'removed 1', removedAt, outbox: [] },
      { _id: 'filled', guildId: 'removed 2', removedAt, outbox },
      { _id: 'living', guildId: 'living', groupId: '1' },
    ]);
    for (const _ of ['first', 'again']) await deleteEmptiedRemains();
    const ids = ['emptied', 'filled', 'living'];
    expect(
      (
        await rows('groups')
          .find({ _id: { $in: ids } })
          .toArray()
      ).map(({ _id }) => _id),
    ).to.have.members(ids.slice(1));
    await rows('groups').deleteMany({ _id: { $in: ids } });
  });

  // SYNC-65
  it('The removals of an hour become one document a guild, also by a move that was killed half-way', async () => {
    const [one, two] = [new Date('2026-10-01T00:00:00Z'), new Date('2026-10-01T00:01:00Z')];
    const store = () =>
      rows('removals').insertMany([
        { _id: 'old 1', guildId: 'counting', minute: one, people: 3 },
        { _id: 'old 2', guildId: 'counting', minute: two, people: 4 },
      ]);
    for (const _ of ['first', 'killed before the last deletion']) {
      await store();
      await moveRemovals();
    }
    const minutes = [
      { at: one, people: 3 },
      { at: two, people: 4 },
    ];
    const moved = { _id: 'counting', guildId: 'counting', minutes, isGranted: true, latest: two };
    expect(await rows('removals').find({ guildId: 'counting' }).toArray()).to.deep.equal([moved]);
    await rows('removals').deleteMany({ guildId: 'counting' });
  });

  it('Small collections become remembered things, also by a move that was killed half-way', async () => {
    const at = new Date('2026-10-01T00:00:00Z');
    const until = new Date('2026-10-02T00:00:00Z');
    const old: Record<string, Row> = {
      claim_questions: { _id: '*:7', chatUserId: '7', sentAt: [at], overAt: until },
      told_invitees: { _id: 'hash', at },
      undos: { _id: 'u', guildId: 'g', at, delta: { settings: [] } },
      review_drafts: { _id: 'd', guildId: 'g', chatUserId: '7', kind: 'config', key: 'k', text: '{}', at },
      refused_imports: { _id: '7 8', chatUserId: '7', gameUserId: '8', refusedAt: at },
      sealed_actors: { _id: 's', guildId: 'g', pseudonym: 'erased_1', sealed: 'jwe', until },
      billing_events: { _id: 'evt_1', guildId: 'g', type: 'invoice.paid', appliedAt: at },
    };
    const moved: Row[] = [
      {
        _id: 'claim_questions * 7',
        kind: 'claim_questions',
        person: '7',
        until,
        value: { guildId: null, sentAt: [at] },
      },
      { _id: 'notified_invitee hash', kind: 'notified_invitee', until },
      { _id: 'undo g u', kind: 'undo', guildId: 'g', until, value: { settings: [] } },
      {
        ...{ _id: 'review_draft g 7 config', kind: 'review_draft', guildId: 'g', person: '7', until },
        value: { kind: 'config', key: 'k', text: '{}' },
      },
      { _id: 'refused_import 7 8', kind: 'refused_import', person: '7', value: { gameUserId: '8', refusedAt: at } },
      {
        ...{ _id: 'sealed_actor g erased_1', kind: 'sealed_actor', guildId: 'g', until },
        value: { pseudonym: 'erased_1', sealed: 'jwe' },
      },
      {
        ...{ _id: 'stripe_event g evt_1', kind: 'stripe_event', guildId: 'g' },
        ...{ until: new Date('2026-11-01T00:00:00Z'), value: { type: 'invoice.paid' } },
      },
    ];
    const ids = moved.map(({ _id }) => _id);
    for (const [name, row] of Object.entries(old)) await rows(name).insertOne(row);
    // As a killed run leaves it: a part is written, and its source still there.
    await rows('remembered').insertOne({ _id: 'undo g u', kind: 'undo', guildId: 'g', until, value: {} });
    for (const _ of ['first', 'again']) await moveRemembered();
    const stored = await rows('remembered')
      .find({ _id: { $in: ids } })
      .toArray();
    expect(stored).to.have.deep.members(moved);
    const left = await mongoose.connection.listCollections();
    expect(left.map(({ name }) => name).filter((name) => name in old)).to.deep.equal([]);
    await rows('remembered').deleteMany({ _id: { $in: ids } });
  });

  it('Collections of one document a guild become fields of the guild, also by a move that was killed half-way', async () => {
    const at = new Date('2026-10-01T00:00:00Z');
    const entry = { id: 'log_1', createdAt: at };
    const panel = { channelId: '5', messageId: '6', postedAt: at };
    const guild = { _id: 'moving', outbox: [{ id: 'log_0', createdAt: at }] };
    await rows('guilds').insertOne(guild);
    const old: Record<string, Row> = {
      log_retention: { _id: 'r', guildId: guild._id, days: 30, shorterFrom: null },
      panels: { _id: 'p', guildId: guild._id, ...panel, outbox: [entry] },
      mapped_role_states: { _id: 'm', guildId: guild._id, mayManageRoles: true, obstacles: [], rolesKey: 'k' },
      setups: { _id: 's', guildId: guild._id, step: 'group' },
      game_key_checks: { _id: 'hash', fault: null, checkedAt: at },
      watch_progress: { _id: 'links', upTo: at },
      known_keys: { _id: 'known', secretsKey: 'old' },
    };
    const before = await rows('service_state').find().toArray();
    await rows('service_state').deleteMany({});
    for (const [name, row] of Object.entries(old)) await rows(name).insertOne(row);
    await moveGuildParts();
    // As a killed run leaves it: a source that is moved and still there.
    await rows('panels').insertOne({ _id: 'p', guildId: guild._id, ...panel, outbox: [entry] });
    await moveGuildParts();
    expect(await rows('guilds').findOne({ _id: guild._id })).to.deep.equal({
      _id: guild._id,
      outbox: [...guild.outbox, entry],
      logRetention: { days: 30, shorterFrom: null },
      panel,
      mappedRoles: { mayManageRoles: true, obstacles: [], rolesKey: 'k' },
    });
    const setup = { _id: 'setup moving', kind: 'setup', guildId: guild._id, value: { step: 'group' } };
    expect(await rows('remembered').findOne({ _id: setup._id })).to.deep.equal(setup);
    expect(await rows('service_state').find().toArray()).to.have.deep.members([
      { _id: 'game_key hash', fault: null, checkedAt: at },
      { _id: 'watched_links', upTo: at },
      { _id: 'known_keys', secretsKey: 'old' },
    ]);
    const left = await mongoose.connection.listCollections();
    expect(left.map(({ name }) => name).filter((name) => name in old)).to.deep.equal([]);
    await rows('remembered').deleteOne({ _id: setup._id });
    await rows('guilds').deleteOne({ _id: guild._id });
    await rows('service_state').deleteMany({});
    if (before.length > 0) await rows('service_state').insertMany(before);
  });
});
