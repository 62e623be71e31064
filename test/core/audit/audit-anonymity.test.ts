import { expect } from 'chai';
import { anonymiseEntries } from '../../../src/core/audit/audit-anonymity.js';
import { type AuditEntry, AuditLog } from '../../../src/core/audit/audit-model.js';
import { insertEntry } from './entries-setup.js';

let serial = 300_000_000_000_000_000n;
const newPersonId = (): string => String(++serial);

// PRIV-5
describe('A person’s entries in the log', () => {
  let person: string;
  let other: string;

  beforeEach(() => {
    [person, other] = [newPersonId(), newPersonId()];
  });

  const user = (id: string, name = 'Ann') => ({ kind: 'user' as const, id, name });
  const member = (id: string, name = 'ann.discord') => ({ kind: 'member', id, name });
  const read = async (id: string): Promise<AuditEntry> =>
    (await AuditLog.acrossGuilds.findById(id).lean<AuditEntry>()) ?? expect.fail('the entry is gone');

  it('A person’s log entries are made anonymous in every guild, as actor and as target', async () => {
    const itself = await insertEntry('100000000000000011', {
      actor: user(person),
      action: 'member.linked',
      target: member(person),
      changes: { gameUserId: { from: null, to: '4711' }, reason: { from: null, to: 'self' } },
      requestId: 'req-1',
    });
    const done = await insertEntry('100000000000000012', {
      actor: user(person),
      action: 'member.synced',
      target: member(other, 'Bob'),
      changes: { nickname: { from: 'Bobby', to: 'Bob' } },
    });
    const suffered = await insertEntry('platform', {
      actor: user(other, 'Bob'),
      action: 'member.synced',
      target: member(person),
      changes: { nickname: { from: 'Annie', to: 'AnnTheGreat' }, roles: { from: ['1'], to: ['2'] } },
    });
    const foreign = await insertEntry('100000000000000011', { actor: user(other), target: member(other) });
    const untouched = await read(foreign);

    expect(await anonymiseEntries(person)).to.equal(3);
    const [one, two, three] = [await read(itself), await read(done), await read(suffered)];
    const pseudonym = one.actor.id;
    expect(pseudonym).to.match(/^erased_[0-9a-f]{8}$/);
    const nobody = { kind: 'user', id: pseudonym, name: pseudonym };
    expect(one).to.deep.include({
      actor: nobody,
      target: { kind: 'member', id: pseudonym, name: pseudonym },
      changes: { reason: { from: null, to: 'self' } },
      action: 'member.linked',
      requestId: 'req-1',
    });
    expect(two).to.deep.include({
      actor: nobody,
      target: member(other, 'Bob'),
      changes: { nickname: { from: 'Bobby', to: 'Bob' } },
    });
    expect(three).to.deep.include({
      actor: user(other, 'Bob'),
      target: { kind: 'member', id: pseudonym, name: pseudonym },
      changes: { roles: { from: ['1'], to: ['2'] } },
    });
    expect(await read(foreign)).to.deep.equal(untouched);
    for (const entry of [one, two, three]) {
      const told = JSON.stringify(entry);
      for (const secret of [person, 'Ann', 'ann.discord', '4711']) expect(told).not.to.contain(secret);
    }
  });

  it('A person’s later or remaining log entries can be made anonymous again, under another name', async () => {
    const first = await insertEntry('100000000000000011', { actor: user(person) });
    expect(await anonymiseEntries(person)).to.equal(1);
    expect(await anonymiseEntries(person)).to.equal(0);
    const second = await insertEntry('100000000000000011', { actor: user(person), target: member(person) });
    expect(await anonymiseEntries(person)).to.equal(1);
    expect((await read(second)).actor.id).not.to.equal((await read(first)).actor.id);
    expect(await anonymiseEntries(newPersonId())).to.equal(0);
  });

  it('A person’s log entries are found by an index, for any number', async () => {
    const many = 2_500;
    const entries = Array.from({ length: many }, (_, index): AuditEntry => {
      const _id = `log_${index.toString(16).padStart(8, '0')}${person.slice(-16)}`;
      const target = { kind: 'group', id: '1' };
      return { _id, guildId: '100000000000000013', at: new Date(), actor: user(person), action: 'group.added', target };
    });
    await AuditLog.acrossGuilds.collection.insertMany(entries as object[]);
    expect(await anonymiseEntries(person)).to.equal(many);
    expect(await AuditLog.acrossGuilds.countDocuments({ 'actor.id': person })).to.equal(0);
    for (const field of ['actor.id', 'target.id']) {
      const plan = JSON.stringify(await AuditLog.acrossGuilds.collection.find({ [field]: person }).explain());
      expect(plan, field).to.contain('IXSCAN').and.not.contain('COLLSCAN');
    }
  });
});
